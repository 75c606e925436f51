import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { Request } from 'express';
import type { Observable } from 'rxjs';
import { ProblemError } from '../http/problem-error.js';

/** Refuses a promise this version cannot keep: a client that sends the header relies on its repeats making no second job. */
@Injectable()
export class NoIdempotencyKeyInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { headers } = context.switchToHttp().getRequest<Request>();
    if (headers['idempotency-key'] === undefined) return next.handle();
    throw new ProblemError(
      'not_available',
      'The header Idempotency-Key is not available in this version. Leave it out; options.dedupe_key keeps a second job from being made.',
      { errors: [{ header: 'Idempotency-Key', detail: 'is not available in this version' }] },
    );
  }
}
