import type { IncomingHttpHeaders } from 'node:http';
import { ProblemError } from './problem-error.js';

/** @throws {ProblemError} `unsupported_media_type` */
export function refuseCompressed(headers: IncomingHttpHeaders): void {
  const coding = headers['content-encoding'] ?? 'identity';
  if (coding.toLowerCase() === 'identity') return;
  throw new ProblemError('unsupported_media_type', 'Compressed bodies are not taken: send the body without Content-Encoding.', {
    errors: [{ header: 'Content-Encoding', detail: 'must be left out' }],
    headers: { 'Accept-Encoding': 'identity' },
  });
}
