import { Catch, Inject, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { type Logger } from '@antrean/platform';
import type { Request, Response } from 'express';
import { API_LOG } from '../tokens.js';
import { asProblem } from './as-problem.js';
import { RequestAbortedError } from './json-body/request-bytes.js';
import { Links } from './links.js';
import { PROBLEM_MEDIA_TYPE, problemBody } from './problem-answer.js';
import { PROBLEMS } from './problem-codes.js';
import { contextOf } from './request-context.js';

/** Answers everything that is thrown on a request's way with `application/problem+json`; what is our fault is logged. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(
    private readonly links: Links,
    @Inject(API_LOG) private readonly log: Logger,
  ) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<Request>();
    const response = http.getResponse<Response>();
    if (error instanceof RequestAbortedError) return;

    const problem = asProblem(error, this.links);
    const context = contextOf(request);
    context.problem = problem.code;
    const fields = { err: error, request_id: context.requestId, trace_id: context.trace.traceId };
    if (problem.code === 'internal_error') this.log.error(fields, 'request failed unexpectedly');
    else if (PROBLEMS[problem.code].status >= 500) this.log.warn(fields, 'request could not be served');

    if (response.headersSent) {
      // Half an answer is out: only cutting it off tells the client that it is not whole.
      response.destroy();
      return;
    }
    const [instance = ''] = request.originalUrl.split('?');
    const body = JSON.stringify(problemBody(problem, instance));
    response
      .status(PROBLEMS[problem.code].status)
      .set({ ...problem.headers, 'Content-Type': PROBLEM_MEDIA_TYPE, 'Cache-Control': 'no-store' })
      .set('Content-Length', String(Buffer.byteLength(body)))
      .end(body);
  }
}
