import { defineJob } from '../definition/job-definition.js';
import { custom, fixed, retryDelayMs, type RetryPolicy } from '../definition/retry-policy.js';
import { unchecked } from '../definition/unchecked-payload.js';
import { carryRetry, restoreRetry } from './carried-retry.js';

describe('a back-off that went to another thread', () => {
  const waits = (retry: RetryPolicy): readonly number[] => {
    const carried = carryRetry(defineJob('carried.type', { payload: unchecked<object>(), attempts: 3, retry }));
    return [1, 2, 3, 4].map((attempt) => retryDelayMs(restoreRetry(structuredClone(carried)), attempt, undefined));
  };

  it('is what it was', () => {
    expect(waits(fixed('7s'))).toEqual([7_000, 7_000, 7_000, 7_000]);
  });

  it('answers as the function that it was does to a time-out, and beyond its attempts as to the last', () => {
    const asked: unknown[] = [];
    const policy = custom((attempt, error) => {
      asked.push((error as { readonly code?: unknown }).code);
      return attempt * 60_000;
    });
    expect(waits(policy)).toEqual([60_000, 120_000, 180_000, 180_000]);
    expect(new Set(asked)).toEqual(new Set(['timed_out']));
  });

  it('is the longest default where the function was no good', () => {
    expect(waits(custom(() => NaN))).toEqual([600_000, 600_000, 600_000, 600_000]);
  });
});
