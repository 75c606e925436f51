import type { NextFunction, Request, Response } from 'express';
import { ProblemError } from './problem-error.js';

/** A name, an IPv4 or a bracketed IPv6 address (RFC 3986, section 3.2.2), and perhaps a port. It may be empty. */
const HOST = /^(?:\[[0-9a-f:.]+\]|(?:[a-z0-9._~!$&'()*+,;=-]|%[0-9a-f]{2})*)(?::\d*)?$/i;

/** Refuses what RFC 9112, section 3.2, wants refused. */
export function demandHost(request: Request, _response: Response, next: NextFunction): void {
  const [host, ...more] = request.headersDistinct['host'] ?? [];
  if (host === undefined && request.httpVersion === '1.1') {
    throw new ProblemError('bad_request', 'The request has no Host header, which HTTP/1.1 demands.');
  }
  if (more.length > 0) throw new ProblemError('bad_request', 'The request has more than one Host header.');
  if (host !== undefined && !HOST.test(host)) {
    throw new ProblemError('bad_request', 'The Host header is not a host, perhaps with a port.');
  }
  next();
}
