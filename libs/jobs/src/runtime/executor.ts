import { Injectable } from '@nestjs/common';
import { PermanentError } from '../definition/errors.js';
import type { JobContext } from '../definition/job-context.js';
import { formatJobId } from '../definition/job-id.js';
import { MAX_SNOOZES, judge } from '../definition/outcome.js';
import { parsePayload } from '../definition/payload.js';
import type { RetryPolicy } from '../definition/retry-policy.js';
import { describeThrown, stackOf } from '../definition/thrown.js';
import type { Claimed, Settlement } from '../store/exchange.js';
import type { RunOutcome } from '../store/trail.js';
import { JobLogs } from '../telemetry/job-logs.js';
import type { RegisteredHandler } from './handler-registry.js';
import type { Run, RunEnd } from './run.js';

/** A result larger than this belongs in storage. In bytes of JSON. */
const MAX_RESULT_BYTES = 65_536;

/** A run in hand. */
export interface Execution {
  /** What to settle; past the hard limit it does not wait for the handler. Never rejects. */
  readonly end: Promise<RunEnd>;
  /** The handler has really ended; never rejects. */
  readonly gone: Promise<void>;
}

/** Runs one claimed job: payload, handler, time limits, and what its end means. */
@Injectable()
export class Executor {
  constructor(private readonly logs: JobLogs) {}

  execute(registered: RegisteredHandler, job: Claimed, run: Run): Execution {
    const work = this.work(registered, job, run);
    const limit = hardLimit(registered, job, run);
    const end = Promise.race([work, limit.reached]).finally(limit.clear);
    return { end, gone: work.then(() => undefined) };
  }

  private async work(registered: RegisteredHandler, job: Claimed, run: Run): Promise<RunEnd> {
    const softLimit = setTimeout(() => {
      run.abort('timed_out');
    }, job.record.timeoutMs);
    try {
      return succeeded(run, await registered.handler.handle(this.context(registered, job, run)));
    } catch (thrown) {
      return failed(registered, job, run, thrown);
    } finally {
      clearTimeout(softLimit);
    }
  }

  private context({ definition }: RegisteredHandler, job: Claimed, run: Run): JobContext {
    const { record } = job;
    return {
      jobId: formatJobId({ type: definition.type, ulid: job.ulid }),
      type: definition.type,
      payload: parsePayload(definition, JSON.parse(record.payloadJson), 'ignore'),
      attempt: record.attempt,
      maxAttempts: record.maxAttempts,
      signal: run.signal,
      traceId: record.trace.traceId,
      requestId: record.facts.requestId ?? null,
      log: this.logs.of(definition.type, job),
    };
  }
}

/** Ends the attempt when `timeout + grace` is over, whatever the handler does. */
function hardLimit(registered: RegisteredHandler, job: Claimed, run: Run): { reached: Promise<RunEnd>; clear: () => void } {
  let timer: NodeJS.Timeout | undefined;
  const reached = new Promise<RunEnd>((resolve) => {
    timer = setTimeout(() => {
      resolve(failed(registered, job, run, run.signal.reason));
    }, job.record.timeoutMs + registered.definition.graceMs);
  });
  return {
    reached,
    clear: () => {
      clearTimeout(timer);
    },
  };
}

function succeeded(run: Run, result: unknown): RunEnd {
  const json = resultJson(result);
  return {
    settlement: { event: 'succeed', json },
    report: { outcome: 'succeeded', seconds: run.seconds, error: undefined, stack: undefined },
  };
}

/** @throws {PermanentError} when there is no keeping the result: the work is done and must not be done again. */
function resultJson(result: unknown): string {
  if (result === undefined) return '';
  const json = toJson(result);
  const bytes = Buffer.byteLength(json);
  if (bytes > MAX_RESULT_BYTES) {
    throw new PermanentError(
      `The handler ended well, but its result has ${bytes} bytes, the limit is ${MAX_RESULT_BYTES}. Put large results into storage.`,
      { code: 'result_too_large' },
    );
  }
  return json;
}

function toJson(result: unknown): string {
  let cause: unknown;
  try {
    // The built-in types leave out that JSON.stringify answers undefined for what has no JSON form.
    const json = JSON.stringify(result) as string | undefined;
    if (json !== undefined) return json;
  } catch (error) {
    cause = error;
  }
  throw new PermanentError(`The handler ended well, but its result (${typeof result}) cannot be written as JSON.`, {
    code: 'result_not_serializable',
    cause,
  });
}

function failed({ definition }: RegisteredHandler, job: Claimed, run: Run, thrown: unknown): RunEnd {
  if (run.abortCause === 'shutdown') return handedBack(run);
  const timedOut = run.abortCause === 'timed_out';
  const error = describeThrown(timedOut ? run.signal.reason : thrown);
  const json = JSON.stringify(error);
  const end = (settlement: Settlement, outcome: RunOutcome): RunEnd => ({
    settlement,
    report: { outcome, seconds: run.seconds, error, stack: stackOf(thrown) },
  });
  const outcome = timedOut ? 'timed_out' : 'failed';
  // Written at the submit from a checked policy and read by nobody in between.
  const retry = (job.record.facts.backoff as RetryPolicy | undefined) ?? definition.retry;
  const verdict = judge(definition, retry, job.record.attempt, timedOut ? run.signal.reason : thrown);
  switch (verdict.kind) {
    case 'bury':
      return end({ event: 'bury', outcome, json }, outcome);
    case 'retry':
      return end({ event: 'retry', outcome, delayMs: verdict.delayMs, json }, outcome);
    case 'snooze':
      return job.record.snoozes < MAX_SNOOZES
        ? end({ event: 'snooze', delayMs: verdict.delayMs, json }, 'snoozed')
        : end({ event: 'bury', outcome: 'failed', json }, 'failed');
  }
}

/** The end of a run that was cut off or never began: the job goes back and no attempt is used. */
export function handedBack(run: Run, delayMs = 0): RunEnd {
  return {
    settlement: { event: 'hand_back', delayMs },
    report: { outcome: 'handed_back', seconds: run.seconds, error: undefined, stack: undefined },
  };
}
