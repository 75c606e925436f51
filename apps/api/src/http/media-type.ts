import type { IncomingHttpHeaders } from 'node:http';

/** The media type that a body is declared as, without its parameters, in lower case; empty when it is not declared. */
export function mediaTypeOf(headers: IncomingHttpHeaders): string {
  const [mediaType = ''] = (headers['content-type'] ?? '').split(';');
  return mediaType.trim().toLowerCase();
}
