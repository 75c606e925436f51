import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { Request } from 'express';
import type { Observable } from 'rxjs';
import { JsonBodyInterceptor } from './json-body.interceptor.js';

/** As {@link JsonBodyInterceptor}, for routes whose body may be left out: nothing is an object without fields. */
@Injectable()
export class OptionalJsonBodyInterceptor implements NestInterceptor {
  constructor(private readonly json: JsonBodyInterceptor) {}

  intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> | Observable<unknown> {
    const request = context.switchToHttp().getRequest<Request>();
    const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers;
    if (length !== '0' || encoding !== undefined) return this.json.intercept(context, next);
    request.body = {};
    return next.handle();
  }
}
