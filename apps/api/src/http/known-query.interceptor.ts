import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import type { Observable } from 'rxjs';
import { ProblemError } from './problem-error.js';

/** The query parameters that a route takes; one without it takes none. */
export const TakesQuery = Reflector.createDecorator<readonly string[]>();

/** Refuses query parameters that a route does not know, as an ignored filter would be a wrong answer, and those sent twice. */
@Injectable()
export class KnownQueryInterceptor implements NestInterceptor {
  constructor(private readonly reflector: Reflector) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    // The reflector's types promise a value even where the decorator was left out.
    const known = (this.reflector.get(TakesQuery, context.getHandler()) as readonly string[] | undefined) ?? [];
    for (const [name, value] of Object.entries(context.switchToHttp().getRequest<Request>().query)) {
      if (!known.includes(name)) throw fault(name, `There is no query parameter "${name}" here.`);
      if (typeof value !== 'string') throw fault(name, `The query parameter "${name}" may be sent once, as plain text.`);
    }
    return next.handle();
  }
}

function fault(parameter: string, detail: string): ProblemError {
  return new ProblemError('invalid_request', detail, { errors: [{ parameter, detail }] });
}
