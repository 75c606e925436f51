import { applyDecorators, Controller, UseInterceptors } from '@nestjs/common';
import { AcceptsJsonInterceptor } from './accepts-json.interceptor.js';
import { KnownQueryInterceptor } from './known-query.interceptor.js';

/** A controller of a resource whose every route answers with JSON and takes no query parameters. */
export const JsonResource = (path: string) =>
  applyDecorators(Controller(path), UseInterceptors(AcceptsJsonInterceptor, KnownQueryInterceptor));
