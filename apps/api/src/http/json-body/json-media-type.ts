import type { IncomingHttpHeaders } from 'node:http';
import { mediaTypeOf } from '../media-type.js';
import { ProblemError } from '../problem-error.js';
import { refuseCompressed } from '../refuse-compressed.js';

/**
 * Checks that a body is declared as `application/json`, in UTF-8 and not compressed.
 * @throws {ProblemError} `unsupported_media_type`
 */
export function requireJson(headers: IncomingHttpHeaders): void {
  refuseCompressed(headers);
  if (isJsonInUtf8(headers)) return;
  throw new ProblemError('unsupported_media_type', 'Send the body as Content-Type: application/json, in UTF-8.', {
    errors: [{ header: 'Content-Type', detail: 'must be application/json, with charset utf-8 or none' }],
    headers: { Accept: 'application/json' },
  });
}

const CHARSET = /^\s*charset\s*=\s*"?([^"]*?)"?\s*$/i;

function isJsonInUtf8(headers: IncomingHttpHeaders): boolean {
  const [, ...parameters] = (headers['content-type'] ?? '').split(';');
  const charsets = parameters.flatMap((parameter) => CHARSET.exec(parameter)?.[1] ?? []);
  return mediaTypeOf(headers) === 'application/json' && charsets.every((charset) => /^utf-?8$/i.test(charset));
}
