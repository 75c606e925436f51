import { applyDecorators, Get, HttpCode, Post, UseInterceptors } from '@nestjs/common';
import { NeedsScope } from '../auth/access.decorator.js';
import { EtagInterceptor } from '../http/etag.interceptor.js';
import { JsonBodyInterceptor } from '../http/json-body/json-body.interceptor.js';

/** A route that takes a job: a JSON object as body, answered with 202. */
export const Submits = (path = '') =>
  applyDecorators(Post(path), HttpCode(202), NeedsScope('submit'), UseInterceptors(JsonBodyInterceptor));

/** The route that shows a job; a client that has it already gets 304. */
export const ReadsJob = () => applyDecorators(Get(':id'), NeedsScope('read'), UseInterceptors(EtagInterceptor));
