import type { Verdict } from './judge/judge.js';
import type { Recovery } from './judge/recoveries.js';
import type { CrowdKill } from './crowd.js';
import type { Options } from './options.js';
import type { SoakOutcome } from './soak/soak.js';
import { percentile } from '../support/percentile.js';

/** What a campaign says of itself besides its verdict. */
export interface Setting extends Omit<Options, 'soak' | 'kinds'> {
  readonly leaseMs: number;
  readonly crowdKill: CrowdKill;
}

/** What the result says of a campaign in which all that was promised held. */
export const ALL_HELD = {
  lost: 0,
  overlapping_runs: 0,
  wrongly_buried: 0,
  wrong_outcomes: 0,
  doubled: 0,
  webhooks_missing: 0,
  webhooks_wrong: 0,
};

/** The result: one JSON object on one line. */
export function reportOf({ seed, minutes, mode, leaseMs, crowdKill }: Setting, verdict: Verdict): string {
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
    webhooks: verdict.webhooks.asked,
    webhooks_repeated: verdict.webhooks.repeated,
    webhooks_missing: verdict.webhooks.missing.length,
    webhooks_wrong: verdict.webhooks.wrong.length,
    recovery_ms: summaryOf(verdict.recoveries),
    running_at_kill: crowdKill.running,
    recovery_at_kill_ms: summaryOf(verdict.recoveries.filter(({ process }) => crowdKill.processes.includes(process))),
    faults: Object.fromEntries(Object.entries(verdict.faults).map(([kind, count]) => [kind, count ?? 'left out'])),
  });
}

/** The result of a soak: one JSON object on one line. */
export function soakReportOf({ seed, minutes, mode }: Options, outcome: SoakOutcome): string {
  const { accepted, unanswered, growths, keysLeft, unexplained, isFlat } = outcome;
  return JSON.stringify({
    soak: true,
    seed,
    minutes,
    mode,
    accepted,
    unanswered,
    ...growths,
    keys_left: keysLeft,
    keys_unexplained: unexplained.length,
    flat: isFlat,
  });
}

/** A list of the jobs behind the counts that ought to be 0, for who looks for the cause. */
export function complaintsOf(verdict: Verdict): string[] {
  const { lost, wronglyBuried, wrongOutcomes, doubled, overlaps, webhooks } = verdict;
  const listed = {
    lost,
    'wrongly buried': wronglyBuried,
    'wrong outcome': wrongOutcomes,
    doubled,
    'webhook missing': webhooks.missing,
    'webhook wrong': webhooks.wrong,
  };
  return [
    ...Object.entries(listed)
      .filter(([, jobs]) => jobs.length > 0)
      .map(([what, jobs]) => `${what}: ${someOf(jobs)}`),
    ...overlaps.slice(0, MOST_LISTED).map((overlap) => `overlap: ${JSON.stringify(overlap)}`),
  ];
}

const MOST_LISTED = 10;

/** A list for people, cut where it would be too long. */
export function someOf(names: readonly (string | number)[]): string {
  return names.slice(0, MOST_LISTED).join(', ');
}

function summaryOf(recoveries: readonly Recovery[]) {
  const lengths = recoveries.map(({ ms }) => ms);
  const quantile = (share: number) => (lengths.length === 0 ? null : percentile(lengths, share));
  return { count: lengths.length, p50: quantile(0.5), p99: quantile(0.99), max: quantile(1) };
}
