import { JobAbortedError } from '../definition/errors.js';
import { retryDelayMs, type RetryPolicy } from '../definition/retry-policy.js';
import { describeThrown } from '../definition/thrown.js';
import { MAX_JOBS_PER_CALL } from '../store/bounds.js';
import { exchange, type Settle, type Settled, type WorkerIdentity } from '../store/exchange.js';
import type { Link } from '../store/link.js';
import { overdue, takeOverdue } from '../store/overdue.js';
import type { StoredJob } from '../store/reply.js';
import { retryPolicyOf } from './run-ends.js';

/** Lanes of a worker for settles that none of its claims travels with. */
export const HEARTBEAT_LANE = 2;
export const REAPER_LANE = 3;

/** What has to be known of a type to settle its runs as timed out. */
export interface TimedOutPolicy {
  readonly type: string;
  readonly version: number;
  readonly graceMs: number;
  readonly retry: RetryPolicy;
}

export interface TimedOutRunsOptions {
  readonly link: Link;
  /** Who makes the calls; it need not be whose runs they are. */
  readonly worker: WorkerIdentity;
  readonly lane: number;
  readonly leaseMs: number;
  readonly keepFinished: boolean;
  readonly keepFailed: boolean;
}

/** Settles runs past their hard limit in the place of a worker that cannot: its event loop is blocked, or it is gone. */
export class TimedOutRuns {
  private readonly calls = new Map<string, number>();

  constructor(private readonly options: TimedOutRunsOptions) {}

  /** What became of each. */
  async settle(policy: TimedOutPolicy, jobs: readonly StoredJob[]): Promise<readonly Settled[]> {
    const { link, worker, lane, leaseMs, keepFinished, keepFailed } = this.options;
    const { type, version } = policy;
    const call = (this.calls.get(type) ?? firstCall()) + 1;
    this.calls.set(type, call);
    const settles = jobs.map((job) => settleOf(policy, job));
    const { settled } = await exchange(link, {
      type,
      worker,
      lane,
      call,
      leaseMs,
      want: 0,
      suspects: false,
      version,
      keepFinished,
      keepFailed,
      settles,
    });
    return settled;
  }

  /** Settles all of a worker's runs of a type that are past their hard limit, and answers with them. */
  settleOverdue(policy: TimedOutPolicy, workerNumber: bigint): Promise<readonly StoredJob[]> {
    const { type, graceMs } = policy;
    return takeOverdue(MAX_JOBS_PER_CALL, async (page) => {
      const found = await overdue(this.options.link, type, workerNumber, { graceMs, ...page });
      if (found.jobs.length > 0) await this.settle(policy, found.jobs);
      return found;
    });
  }
}

/**
 * Of the machine's monotonic clock in 10 us, less than any call takes: who comes after a thread that broke goes on above its
 * numbers. The 6 bytes of a call number in a token last for 89 years of it.
 */
function firstCall(): number {
  return Number(process.hrtime.bigint() / 10_000n);
}

function settleOf({ retry }: TimedOutPolicy, { ulid, record }: StoredJob): Settle {
  const error = new JobAbortedError('timed_out');
  const delayMs = retryDelayMs(retryPolicyOf(record, retry), record.attempt, error);
  const json = JSON.stringify(describeThrown(error));
  return { ulid, token: record.token, settlement: { event: 'retry', outcome: 'timed_out', delayMs, json } };
}
