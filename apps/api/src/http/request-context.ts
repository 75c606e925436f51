import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { newTraceContext, parseTraceparent, parseTracestate, type TraceContext } from '@antrean/platform';
import type { ProblemCode } from './problem-codes.js';

/** What is known of a request from its first moment on, for its log line and for the job it may make. */
export interface RequestContext {
  /** The client's `X-Request-Id` when it is safe to repeat, else a new one. */
  readonly requestId: string;
  /** The caller's trace, or a new one. */
  readonly trace: TraceContext;
  readonly tracestate: string | undefined;
  /** The name of the key the request came with. */
  keyName: string | undefined;
  /** Whether it came with the scope manage, or to an api without keys: then it sees what is kept from others. */
  mayManage: boolean;
  /** Whether it came with the scope read, or to an api without keys. */
  mayRead: boolean;
  /** The job the request turned out to be about. */
  jobId: string | undefined;
  /** Why it was refused or could not be served. */
  problem: ProblemCode | undefined;
}

const contexts = new WeakMap<IncomingMessage, RequestContext>();
const SAFE_ID = /^[A-Za-z0-9._:/+=@~-]{1,128}$/;

/** Opens the context of a request. An invalid trace context is replaced, never refused (W3C Trace Context, section 4.3). */
export function openContext(request: IncomingMessage): RequestContext {
  const requestId = single(request.headers['x-request-id']);
  const trace = parseTraceparent(single(request.headers['traceparent']));
  const context: RequestContext = {
    requestId: requestId !== undefined && SAFE_ID.test(requestId) ? requestId : randomUUID(),
    trace: trace ?? newTraceContext(),
    // Of no use without the traceparent it belongs to.
    tracestate: trace && parseTracestate(single(request.headers['tracestate'])),
    keyName: undefined,
    mayManage: false,
    mayRead: false,
    jobId: undefined,
    problem: undefined,
  };
  contexts.set(request, context);
  return context;
}

/** @throws {Error} for a request whose context was never opened: a fault in the order of the middleware. */
export function contextOf(request: IncomingMessage): RequestContext {
  const context = contexts.get(request);
  if (context === undefined) throw new Error('The request has no context.');
  return context;
}

/** Hands a controller the context of its request. */
export const Context = createParamDecorator((_data: unknown, execution: ExecutionContext) =>
  contextOf(execution.switchToHttp().getRequest<IncomingMessage>()),
);

function single(header: string | readonly string[] | undefined): string | undefined {
  return typeof header === 'string' ? header : undefined;
}
