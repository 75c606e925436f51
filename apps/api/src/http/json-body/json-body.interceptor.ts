import { Inject, Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { type ApiConfig } from '@antrean/platform';
import type { Request } from 'express';
import type { Observable } from 'rxjs';
import { API_CONFIG } from '../../tokens.js';
import { ProblemError } from '../problem-error.js';
import { JsonFault } from './json-fault.js';
import { requireJson } from './json-media-type.js';
import { parseJson } from './parse-json.js';
import { requestBytes } from './request-bytes.js';

/** Room for everything in a body but the payload: options at their bounds, names, white space. */
const ENVELOPE_BYTES = 65_536;
/** 64 levels for what the client sends, one for the envelope around it. */
const DEEPEST = 65;

/**
 * Reads the body of a request into `request.body`: a JSON object, nothing in it changed by the parsing. It stands behind the
 * guards, so that nobody without a key can make the api read.
 */
@Injectable()
export class JsonBodyInterceptor implements NestInterceptor {
  constructor(@Inject(API_CONFIG) private readonly config: ApiConfig) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const request = context.switchToHttp().getRequest<Request>();
    requireJson(request.headers);
    request.body = toObject(await requestBytes(request, this.config.maxPayloadBytes + ENVELOPE_BYTES));
    return next.handle();
  }
}

function toObject(bytes: Buffer): object {
  const value = bytes.length === 0 ? undefined : parse(bytes);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  const detail = value === undefined ? 'The body is empty, it must be a JSON object.' : 'The body must be a JSON object.';
  throw new ProblemError('invalid_json', detail, { errors: [{ pointer: '#', detail: 'must be an object' }] });
}

function parse(bytes: Buffer): unknown {
  try {
    return parseJson(bytes, DEEPEST);
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    const { message, pointer } = error;
    throw new ProblemError('invalid_json', message, { errors: [{ pointer, detail: message }], cause: error });
  }
}
