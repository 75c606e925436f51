import type { JobDefinition } from '../definition/job-definition.js';
import { MAX_SNOOZES, judge } from '../definition/outcome.js';
import type { RetryPolicy } from '../definition/retry-policy.js';
import { describeThrown, stackOf } from '../definition/thrown.js';
import type { Claimed, Settlement } from '../store/exchange.js';
import type { JobRecord } from '../store/record.js';
import type { RunOutcome } from '../store/trail.js';
import type { Run, RunEnd } from './run.js';

/** The back-off of a job: its own, or that of its type. */
export function retryPolicyOf({ facts }: JobRecord, ofType: RetryPolicy): RetryPolicy {
  // Written at the submit from a checked policy and read by nobody in between.
  return (facts.backoff as RetryPolicy | undefined) ?? ofType;
}

export function succeeded(run: Run, json: string): RunEnd {
  return {
    settlement: { event: 'succeed', json },
    report: { outcome: 'succeeded', seconds: run.seconds, error: undefined, stack: undefined },
  };
}

/** The end of a run whose handler threw, or was cut off. */
export function failed(definition: JobDefinition, job: Claimed, run: Run, thrown: unknown): RunEnd {
  if (run.abortCause === 'shutdown') return handedBack(run);
  const { record } = job;
  const timedOut = run.abortCause === 'timed_out';
  const cause: unknown = timedOut ? run.signal.reason : thrown;
  const error = describeThrown(cause);
  const json = JSON.stringify(error);
  const end = (settlement: Settlement, outcome: RunOutcome): RunEnd => ({
    settlement,
    report: { outcome, seconds: run.seconds, error, stack: stackOf(thrown) },
  });
  // The store knows that the job was to stop, and ends it so.
  if (run.abortCause === 'cancelled') return end({ event: 'retry', outcome: 'failed', delayMs: 0, json }, 'cancelled');
  const outcome = timedOut ? 'timed_out' : 'failed';
  const verdict = judge(definition, retryPolicyOf(record, definition.retry), record.attempt, cause);
  switch (verdict.kind) {
    case 'bury':
      return end({ event: 'bury', outcome, json }, outcome);
    case 'retry':
      return end({ event: 'retry', outcome, delayMs: verdict.delayMs, json }, outcome);
    case 'snooze':
      return record.snoozes < MAX_SNOOZES || record.expiresAt > 0
        ? end({ event: 'snooze', delayMs: verdict.delayMs, json }, 'snoozed')
        : end({ event: 'bury', outcome: 'failed', json }, 'failed');
  }
}

/** The end of a run that was cut off: the job goes back and no attempt is used. */
export function handedBack(run: Run, delayMs = 0): RunEnd {
  return {
    settlement: { event: 'hand_back', delayMs },
    report: { outcome: 'handed_back', seconds: run.seconds, error: undefined, stack: undefined },
  };
}

/** A job goes back as it came, as its handler was not called. */
export function neverBegan(delayMs = 0): RunEnd {
  return {
    settlement: { event: 'hand_back', delayMs, neverBegan: true },
    report: { outcome: 'handed_back', seconds: undefined, error: undefined, stack: undefined },
  };
}
