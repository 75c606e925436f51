import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request, Response } from 'express';
import { onceKeyOf } from '../http/idempotency-key.js';
import { parsePrefer, type Preferences } from '../http/prefer.js';
import { contextOf, type RequestContext } from '../http/request-context.js';

/** What matters of a submitting request beside its body, and where its answer goes. */
export interface SubmitRequest {
  readonly context: RequestContext;
  /** Of its `Idempotency-Key`. */
  readonly onceKey: string | undefined;
  readonly preferences: Preferences;
  readonly response: Response;
}

/** Hands a controller the request of a submit. */
export const Submitting = createParamDecorator((_data: unknown, execution: ExecutionContext): SubmitRequest => {
  const http = execution.switchToHttp();
  const request = http.getRequest<Request>();
  return {
    context: contextOf(request),
    onceKey: onceKeyOf(request),
    preferences: parsePrefer(request.headers['prefer']),
    response: http.getResponse<Response>(),
  };
});
