import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { Request } from 'express';
import type { Observable } from 'rxjs';
import { ProblemError } from './problem-error.js';

/** Refuses query parameters: no route has any yet, and an ignored filter would be a wrong answer. */
@Injectable()
export class KnownQueryInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const [unknown] = Object.keys(context.switchToHttp().getRequest<Request>().query);
    if (unknown === undefined) return next.handle();
    const detail = `There is no query parameter "${unknown}" here.`;
    throw new ProblemError('invalid_request', detail, { errors: [{ parameter: unknown, detail }] });
  }
}
