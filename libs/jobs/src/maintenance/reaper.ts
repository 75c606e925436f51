import { JobAbortedError } from '../definition/errors.js';
import type { JobDefinition } from '../definition/job-definition.js';
import { describeThrown } from '../definition/thrown.js';
import { WORKER_LOST_JSON, poisonJson } from '../runtime/crash-errors.js';
import { BEATS_PER_LEASE } from '../runtime/heart.js';
import type { Ticking } from '../runtime/loop.js';
import { longestGraceMs } from '../runtime/time-limits.js';
import { REAPER_LANE, TimedOutRuns } from '../runtime/timed-out-runs.js';
import { MAX_JOBS_PER_CALL } from '../store/bounds.js';
import { probeType } from '../store/probe.js';
import { reap, type ReapCall } from '../store/reap.js';
import type { StoredJob } from '../store/reply.js';
import type { MaintenanceContext } from './maintenance-context.js';

/** Living workers need this long at least to reconnect and beat after an outage. */
const MIN_WAIT_MS = 2_000;
/** A heartbeat that failed is tried again each second, however long a lease is. */
const MAX_WAIT_MS = 5_000;

/** Takes back the jobs of workers that are not heard of any more. */
export class Reaper implements Ticking {
  private readonly timedOutRuns: TimedOutRuns;
  private readonly call: ReapCall;
  private dueAt = Infinity;
  /** When the call was made that left more to be taken back at once, in ms of the monotonic clock. */
  private moreSince = -Infinity;
  /** Also true at first: who starts does not know whether Redis has just come back. */
  private interrupted = true;
  /** At the last look some worker had a lease. */
  private leased = true;

  /** @param onTimedOut told when runs were settled as timed out: their jobs may wait for a retry that nobody knows of yet. */
  constructor(
    private readonly definition: JobDefinition,
    private readonly context: MaintenanceContext,
    private readonly onTimedOut: () => void,
    /** Told that there may be events to be handed on. */
    private readonly onMayBeOutgoing: () => void,
  ) {
    const { link, worker, options } = context;
    const keep = { keepFinished: options.retentionMs > 0, keepFailed: options.deadRetentionMs > 0 };
    this.timedOutRuns = new TimedOutRuns({ link, worker, lane: REAPER_LANE, leaseMs: options.leaseMs, ...keep });
    this.call = reapCallFor(definition, keep);
  }

  /**
   * A lease that begins after this tick cannot end within its length, so sleeping that long misses none. When this tick
   * comes late (Redis was away, the machine slept), living workers are first given one heartbeat to be heard, from when one is
   * taken: a Redis may answer long before it does.
   */
  async tick(): Promise<number> {
    const { link, options } = this.context;
    const beatMs = options.leaseMs / BEATS_PER_LEASE;
    if (this.interrupted || performance.now() > this.dueAt + beatMs || (this.leased && (await this.hangs(beatMs)))) {
      this.interrupted = true;
      await probeType(link, this.definition.type);
      this.interrupted = false;
      return this.next(Math.min(Math.max(beatMs, MIN_WAIT_MS), MAX_WAIT_MS));
    }
    this.interrupted = true;
    const askedAt = performance.now();
    const { nextEndInMs, woke, workerNumber = '', timedOut, jobs } = await reap(link, this.call);
    this.moreSince = nextEndInMs === 0 ? askedAt : -Infinity;
    if (woke) this.context.rouser.woke(this.definition.type);
    for (const job of jobs) this.context.journal.crashed(this.definition.type, job, { lost_worker: workerNumber });
    if (timedOut.length > 0) await this.settle(timedOut);
    if ([...jobs, ...timedOut].some(({ record }) => record.facts.webhook !== undefined)) this.onMayBeOutgoing();
    this.interrupted = false;
    this.leased = nextEndInMs !== undefined;
    return this.next(Math.min(nextEndInMs ?? options.leaseMs, options.leaseMs));
  }

  /**
   * A call that reaps would stay with a Redis that hangs, and be carried out ahead of the heartbeats once it goes on. One that has just
   * taken back some of many jobs does not: to ask before each call would cost as much as the calls.
   */
  private async hangs(beatMs: number): Promise<boolean> {
    const askedAt = performance.now();
    if (askedAt - this.moreSince <= beatMs) return false;
    this.interrupted = true;
    await probeType(this.context.link, this.definition.type);
    return performance.now() - askedAt > beatMs;
  }

  /** Runs that were past their hard limit while their worker lived did not crash. */
  private async settle(jobs: readonly StoredJob[]): Promise<void> {
    const settled = await this.timedOutRuns.settle(this.definition, jobs);
    this.onTimedOut();
    const error = describeThrown(new JobAbortedError('timed_out'));
    jobs.forEach((job, index) => {
      const seconds = (job.record.timeoutMs + this.definition.graceMs) / 1_000;
      const report = { outcome: 'timed_out', seconds, error, stack: undefined } as const;
      this.context.journal.settled(this.definition.type, job, report, settled[index] ?? 'unknown');
    });
  }

  private next(inMs: number): number {
    this.dueAt = performance.now() + inMs;
    return inMs;
  }
}

function reapCallFor(
  definition: JobDefinition,
  keep: { readonly keepFinished: boolean; readonly keepFailed: boolean },
): ReapCall {
  const { type, maxCrashes } = definition;
  return {
    type,
    limit: MAX_JOBS_PER_CALL,
    maxCrashes,
    graceMs: longestGraceMs(definition),
    ...keep,
    crashJson: WORKER_LOST_JSON,
    poisonJson: poisonJson(maxCrashes),
  };
}
