import type { IncomingHttpHeaders } from 'node:http';
import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { Request } from 'express';
import type { Observable } from 'rxjs';
import { JsonBodyInterceptor } from '../http/json-body/json-body.interceptor.js';
import { mediaTypeOf } from '../http/media-type.js';

/** Reads the body of an import that names its file, as JSON; one that brings its file is left to who stores that. */
@Injectable()
export class ImportBodyInterceptor implements NestInterceptor {
  constructor(private readonly json: JsonBodyInterceptor) {}

  intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> | Observable<unknown> {
    const { headers } = context.switchToHttp().getRequest<Request>();
    return namesItsFile(headers) ? this.json.intercept(context, next) : next.handle();
  }
}

/** Whether the import's file lies in the storage already: then its body is JSON. */
export function namesItsFile(headers: IncomingHttpHeaders): boolean {
  return mediaTypeOf(headers) === 'application/json';
}
