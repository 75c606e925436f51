import type { Logger } from '@antrean/platform';
import type { NextFunction, Request, Response } from 'express';
import { openContext } from './request-context.js';

/** Asked every few seconds by machines; worth a line only when something is in question. */
const ROUTINE = new Set(['/health', '/health/live', '/health/ready', '/metrics']);

/**
 * First in line: opens the context of every request, answers with its id, and logs one line when the answer is sent or the
 * client is gone.
 */
export function accessLog(log: Logger) {
  return (request: Request, response: Response, next: NextFunction): void => {
    const startedAt = performance.now();
    const context = openContext(request);
    response.setHeader('X-Request-Id', context.requestId);
    response.once('close', () => {
      const route = routeOf(request);
      const fields = {
        method: request.method,
        route,
        // null: the client went away before there was an answer.
        status: response.headersSent ? response.statusCode : null,
        ms: Math.round((performance.now() - startedAt) * 10) / 10,
        request_id: context.requestId,
        trace_id: context.trace.traceId,
        ...(context.problem !== undefined && { problem: context.problem }),
        ...(context.keyName !== undefined && { api_key: context.keyName }),
        ...(context.jobId !== undefined && { job_id: context.jobId }),
        ...(!response.writableFinished && { aborted: true }),
      };
      log[route !== null && ROUTINE.has(route) && response.statusCode < 400 ? 'debug' : 'info'](fields, 'request');
    });
    next();
  };
}

/** The pattern of the route that took the request, such as `/jobs/:id`; null when none did. Paths themselves may hold anything. */
function routeOf(request: Request): string | null {
  const route: unknown = request.route;
  const known = typeof route === 'object' && route !== null && 'path' in route ? route.path : undefined;
  return typeof known === 'string' ? known : null;
}
