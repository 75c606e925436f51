import type { IncomingHttpHeaders } from 'node:http';
import { ProblemError } from '../problem-error.js';

/**
 * Checks that a body is declared as `application/json`, in UTF-8 and not compressed.
 * @throws {ProblemError} `unsupported_media_type`
 */
export function requireJson(headers: IncomingHttpHeaders): void {
  const coding = headers['content-encoding'] ?? 'identity';
  if (coding.toLowerCase() !== 'identity') {
    throw new ProblemError('unsupported_media_type', 'Compressed bodies are not taken: send the body without Content-Encoding.', {
      errors: [{ header: 'Content-Encoding', detail: 'must be left out' }],
      headers: { 'Accept-Encoding': 'identity' },
    });
  }
  if (isJsonInUtf8(headers['content-type'])) return;
  throw new ProblemError('unsupported_media_type', 'Send the body as Content-Type: application/json, in UTF-8.', {
    errors: [{ header: 'Content-Type', detail: 'must be application/json, with charset utf-8 or none' }],
    headers: { Accept: 'application/json' },
  });
}

const CHARSET = /^\s*charset\s*=\s*"?([^"]*?)"?\s*$/i;

function isJsonInUtf8(contentType = ''): boolean {
  const [mediaType = '', ...parameters] = contentType.split(';');
  const charsets = parameters.flatMap((parameter) => CHARSET.exec(parameter)?.[1] ?? []);
  return mediaType.trim().toLowerCase() === 'application/json' && charsets.every((charset) => /^utf-?8$/i.test(charset));
}
