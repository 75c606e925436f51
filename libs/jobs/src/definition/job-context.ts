import type { EnqueueOptions } from './enqueue-options.js';
import type { EnqueuedJob } from './enqueued-job.js';
import type { JobDefinition, PayloadOf } from './job-definition.js';

/**
 * Writes to the worker's log with the job's id, type, attempt, trace and request id already on the line, and to the log that is
 * kept with the job: its latest 200 lines, each cut to 4,096 characters of JSON.
 * @throws {NotStorableError} when the message is no string
 */
export interface JobLog {
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

/** Where a job stands, so that its next run need not begin anew. */
export interface Checkpoint {
  /** What was saved last, by this run or an earlier one; undefined at first. */
  readonly value: unknown;
  /**
   * Resolves when the value is kept. JSON, at most 64 KiB.
   * @throws {NotStorableError} when it cannot be kept as JSON
   * @throws {JobAbortedError} `lease_lost`: the job no longer belongs to this run, which is to stop
   */
  save(value: unknown): Promise<void>;
}

/** What a handler is given. Its functions may be taken apart from it. */
export interface JobContext<D extends JobDefinition = JobDefinition> {
  readonly jobId: string;
  readonly type: string;
  /** Checked against the definition's class and an instance of it. */
  readonly payload: PayloadOf<D>;
  /** From 1; counts the runs that count against `maxAttempts`. */
  readonly attempt: number;
  readonly maxAttempts: number;
  /** From 1, and higher than that of every run of the job before: counts all of them, also over replays. */
  readonly run: number;
  /** Fires on timeout, lost lease, cancel and shutdown; its reason is a `JobAbortedError`. Hand it to all that waits. */
  readonly signal: AbortSignal;
  /** 32 hex digits, constant over retries. */
  readonly traceId: string;
  readonly requestId: string | null;
  /** W3C trace context of the submit, constant over retries: to be sent along by a handler that calls others. */
  readonly traceparent: string;
  readonly tracestate: string | null;
  /** The name of the secrets that sign what the handler sends, as the submit said. */
  readonly signAs: string | null;
  readonly log: JobLog;
  /**
   * Tells how far the job is: percent from 0 to 100, and perhaps in words and as JSON data (4 KiB at most). Told often, it is
   * written twice a second.
   * @throws {NotStorableError} when one of them is nothing of the kind
   */
  readonly progress: (percent: number, message?: string, data?: unknown) => void;
  readonly checkpoint: Checkpoint;
  /**
   * Does a part of the job once: what `work` returns is kept under the name (JSON, 64 KiB at most, 100 steps a job) and a later
   * run is given it without doing the work again. A run that ends between the work and its keeping does it again.
   * Asked for twice at once it is done once; asked for by its own work it would never end, and is refused.
   * @throws {NotStorableError} the step is refused, or what `work` returned; {@link JobAbortedError} `lease_lost`
   */
  readonly step: <T>(name: string, work: () => T | Promise<T>) => Promise<T>;
  /**
   * Submits a job that follows from this one and continues its trace. A later run of this job that makes the same calls in the
   * same order gets the same jobs, unless `onceKey` names them otherwise.
   * @throws as `QueueService.enqueue`
   */
  readonly enqueue: <P extends object>(
    definition: JobDefinition<P>,
    payload: P,
    options?: EnqueueOptions,
  ) => Promise<EnqueuedJob>;
}

/**
 * What a handler class implements. What `handle` returns is the job's result (JSON, at most 64 KiB); what it throws
 * ends the attempt: `PermanentError` buries, `RetryAfterError` says when to go on at the earliest, `Snooze` when to go on, all else
 * is retried by policy.
 */
export interface Handles<D extends JobDefinition> {
  handle(context: JobContext<D>): unknown;
}
