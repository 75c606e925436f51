import type { Verdict } from './judge/judge.js';
import type { Options } from './options.js';
import { percentile } from '../support/percentile.js';

/** What a campaign says of itself besides its verdict. */
export interface Setting extends Options {
  readonly leaseMs: number;
  /** Handlers that ran when half of the workers were killed at once. */
  readonly runningAtKill: number;
}

/** The result: one JSON object on one line. */
export function reportOf({ seed, minutes, mode, leaseMs, runningAtKill }: Setting, verdict: Verdict): string {
  return JSON.stringify({
    seed,
    minutes,
    mode,
    lease_ms: leaseMs,
    accepted: verdict.accepted,
    resent: verdict.resent,
    succeeded: verdict.succeeded,
    failed: verdict.failed,
    lost: verdict.lost.length,
    ...(mode !== 'always' && { lost_with_redis: verdict.lostWithRedis.length }),
    duplicate_runs: verdict.duplicateRuns,
    overlapping_runs: verdict.overlaps.length,
    observed: Number(verdict.observed.toFixed(3)),
    wrongly_buried: verdict.wronglyBuried.length,
    wrong_outcomes: verdict.wrongOutcomes.length,
    doubled: verdict.doubled.length,
    recovery_ms: {
      count: verdict.recoveries.length,
      p50: quantile(verdict.recoveries, 0.5),
      p99: quantile(verdict.recoveries, 0.99),
      max: quantile(verdict.recoveries, 1),
    },
    running_at_kill: runningAtKill,
    faults: Object.fromEntries(Object.entries(verdict.faults).map(([kind, count]) => [kind, count ?? 'not available'])),
  });
}

/** A list of the jobs behind the counts that ought to be 0, for who looks for the cause. */
export function complaintsOf(verdict: Verdict): string[] {
  const { lost, wronglyBuried, wrongOutcomes, doubled, overlaps } = verdict;
  const listed = { lost, 'wrongly buried': wronglyBuried, 'wrong outcome': wrongOutcomes, doubled };
  return [
    ...Object.entries(listed)
      .filter(([, jobs]) => jobs.length > 0)
      .map(([what, jobs]) => `${what}: ${jobs.slice(0, MOST_LISTED).join(', ')}`),
    ...overlaps.slice(0, MOST_LISTED).map((overlap) => `overlap: ${JSON.stringify(overlap)}`),
  ];
}

const MOST_LISTED = 10;

function quantile(values: readonly number[], share: number): number | null {
  return values.length === 0 ? null : percentile(values, share);
}
