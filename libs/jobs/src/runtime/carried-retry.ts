import { JobAbortedError } from '../definition/errors.js';
import type { JobDefinition } from '../definition/job-definition.js';
import { custom, retryDelayMs, type RetryPolicy, type StoredRetryPolicy } from '../definition/retry-policy.js';

/** A back-off that can go to another thread. A function cannot: in its place stand its answers to a time-out, attempt by attempt, in ms. */
export type CarriedRetry = StoredRetryPolicy | readonly number[];

export function carryRetry({ retry, maxAttempts }: JobDefinition): CarriedRetry {
  if (retry.kind !== 'custom') return retry;
  const error = new JobAbortedError('timed_out');
  return Array.from({ length: maxAttempts }, (_, index) => retryDelayMs(retry, index + 1, error));
}

/** A submit may allow more attempts than the definition: for those the last answer stands. */
export function restoreRetry(carried: CarriedRetry): RetryPolicy {
  if ('kind' in carried) return carried;
  return custom((attempt) => carried[attempt - 1] ?? carried.at(-1) ?? NaN);
}
