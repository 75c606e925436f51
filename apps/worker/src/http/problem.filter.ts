import { STATUS_CODES } from 'node:http';
import { Catch, HttpException, HttpStatus, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { Logger } from '@antrean/platform';
import type { Request, Response } from 'express';
import { ProblemException } from './problem.exception.js';
import { requestPath } from './request-path.js';

/** The codes of the statuses that this listener gives; the api uses the same words. */
const CODES: Readonly<Record<number, string>> = {
  400: 'bad_request',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  405: 'method_not_allowed',
  500: 'internal_error',
};

const WENT_WRONG = 'Something went wrong here; the log says what.';

function nothingAt(path: string): string {
  return `There is nothing at ${path}. This is a worker, with health and metrics alone: for jobs ask the api, which listens elsewhere.`;
}

/** Turns every error of the worker's listener into an `application/problem+json` answer (RFC 9457). */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(private readonly logger: Logger) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<Request>();
    const response = http.getResponse<Response>();
    const path = requestPath(request);
    const known = error instanceof HttpException ? error : undefined;
    if (known === undefined) this.logger.error({ err: error, path }, 'a request failed');
    const status = known?.getStatus() ?? HttpStatus.INTERNAL_SERVER_ERROR;
    const code = error instanceof ProblemException ? error.code : (CODES[status] ?? 'error');
    const detail = status === HttpStatus.NOT_FOUND.valueOf() ? nothingAt(path) : (known?.message ?? WENT_WRONG);
    const problem = {
      type: `urn:antrean:problem:${code}`,
      title: STATUS_CODES[status] ?? 'Error',
      status,
      detail,
      instance: path,
      code,
      error: detail,
      errors: [],
    };
    response.status(status).type('application/problem+json').send(JSON.stringify(problem));
  }
}
