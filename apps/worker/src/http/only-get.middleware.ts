import { Injectable, MethodNotAllowedException, type NestMiddleware } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { requestPath } from './request-path.js';

const PATHS = new Set(['/health', '/health/live', '/health/ready', '/metrics']);

/** Everything here is to be looked at: the paths that exist take GET and HEAD and say so to anything else. */
@Injectable()
export class OnlyGetMiddleware implements NestMiddleware {
  use(request: Request, response: Response, next: NextFunction): void {
    const { method } = request;
    if (method !== 'GET' && method !== 'HEAD' && PATHS.has(requestPath(request))) {
      response.setHeader('Allow', 'GET, HEAD');
      throw new MethodNotAllowedException(`This path takes GET and HEAD, not ${method}.`);
    }
    next();
  }
}
