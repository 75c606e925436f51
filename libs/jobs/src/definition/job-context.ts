import type { JobDefinition, PayloadOf } from './job-definition.js';

/** Writes to the worker's log with the job's id, type, attempt, trace and request id already on the line. */
export interface JobLog {
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

/** What a handler is given. */
export interface JobContext<D extends JobDefinition = JobDefinition> {
  readonly jobId: string;
  readonly type: string;
  /** Checked against the definition's class and an instance of it. */
  readonly payload: PayloadOf<D>;
  /** From 1; counts the runs that count against `maxAttempts`. */
  readonly attempt: number;
  readonly maxAttempts: number;
  /** Fires on timeout, lost lease, cancel and shutdown; its reason is a `JobAbortedError`. Hand it to all that waits. */
  readonly signal: AbortSignal;
  /** 32 hex digits, constant over retries. */
  readonly traceId: string;
  readonly requestId: string | null;
  readonly log: JobLog;
}

/**
 * What a handler class implements. What `handle` returns is the job's result (JSON, at most 64 KiB); what it throws
 * ends the attempt: `PermanentError` buries, `RetryAfterError` and `Snooze` say when to go on, all else is retried by policy.
 */
export interface Handles<D extends JobDefinition> {
  handle(context: JobContext<D>): unknown;
}
