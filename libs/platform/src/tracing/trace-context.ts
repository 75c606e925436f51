import { TraceState, parseTraceParent } from '@opentelemetry/core';
import { randomHex } from '../randomness.js';

/** A place in a trace, as W3C Trace Context carries it in `traceparent`. */
export interface TraceContext {
  /** 32 lower-case hex digits. */
  readonly traceId: string;
  /** 16 lower-case hex digits: the caller's span. */
  readonly parentId: string;
  /** One byte; bit 0 is "sampled". */
  readonly flags: number;
}

/** The context in a `traceparent` text; undefined when it is absent or invalid, which the standard says to treat as absent. */
export function parseTraceparent(text: string | undefined): TraceContext | undefined {
  const parsed = text === undefined ? null : parseTraceParent(text);
  return parsed === null ? undefined : { traceId: parsed.traceId, parentId: parsed.spanId, flags: parsed.traceFlags };
}

/** The valid members of a `tracestate` text, at most 32; undefined when there is none. */
export function parseTracestate(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const state = new TraceState(text).serialize();
  return state === '' ? undefined : state;
}

/** The beginning of a new trace. It is not sampled: nothing records it yet. */
export function newTraceContext(): TraceContext {
  return { traceId: randomHex(16), parentId: randomHex(8), flags: 0 };
}

/** The `traceparent` text of a context, in version 00. Flags that this version does not know are dropped. */
export function formatTraceparent({ traceId, parentId, flags }: TraceContext): string {
  return `00-${traceId}-${parentId}-${flags % 2 === 1 ? '01' : '00'}`;
}
