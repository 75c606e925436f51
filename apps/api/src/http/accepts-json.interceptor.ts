import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { Request } from 'express';
import type { Observable } from 'rxjs';
import { ProblemError } from './problem-error.js';

/** The same thing twice: some clients name the character set with the type they accept. */
const OFFERED = ['application/json', 'application/json; charset=utf-8', 'application/json; charset=UTF-8'];

/** Refuses requests whose `Accept` header excludes JSON, before anything is done for them. */
@Injectable()
export class AcceptsJsonInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<Request>();
    if (request.accepts(OFFERED) !== false) return next.handle();
    throw new ProblemError(
      'not_acceptable',
      'Answers are application/json only: allow it in the Accept header, or leave that out.',
      {
        errors: [{ header: 'Accept', detail: 'must allow application/json' }],
      },
    );
  }
}
