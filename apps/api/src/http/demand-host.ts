import type { NextFunction, Request, Response } from 'express';
import { ProblemError } from './problem-error.js';

/** Refuses what RFC 9112, section 3.2, wants refused. */
export function demandHost(request: Request, _response: Response, next: NextFunction): void {
  if (request.httpVersion === '1.1' && request.headers.host === undefined) {
    throw new ProblemError('bad_request', 'The request has no Host header, which HTTP/1.1 demands.');
  }
  next();
}
