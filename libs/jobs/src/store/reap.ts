import type { Link } from './link.js';
import { asArray, asJobs, asNumber, asText, type StoredJob } from './reply.js';
import { Script } from './script.js';

const script = new Script('reap');

export interface ReapCall {
  readonly type: string;
  readonly limit: number;
  readonly maxCrashes: number;
  readonly keepFinished: boolean;
  readonly keepFailed: boolean;
  /** After the timeout of a run. */
  readonly graceMs: number;
  /** The error noted in the trail for a crash, and for the one that buries, as JSON. */
  readonly crashJson: string;
  readonly poisonJson: string;
}

export interface Reaped {
  /** Milliseconds until the next lease ends unless it is renewed, 0 when one is over already; undefined when there is none. */
  readonly nextEndInMs: number | undefined;
  /** A worker was woken. */
  readonly woke: boolean;
  /** The worker whose lease was over; undefined when there was none. */
  readonly workerNumber: string | undefined;
  /** Runs that were past their hard limit when the worker was last heard of, still to be settled. Without their payloads. */
  readonly timedOut: readonly StoredJob[];
  /** Its other jobs in their new state, without their payloads. */
  readonly jobs: readonly StoredJob[];
}

/** Takes back the jobs of one worker whose lease is over. */
export async function reap(link: Link, call: ReapCall): Promise<Reaped> {
  const keys = link.keys(call.type);
  const [nextEndIn, woke, worker, timedOutCount, ...jobs] = asArray(
    await script.run(
      link.redis,
      [
        keys.clock,
        keys.leases,
        keys.lanes,
        keys.running,
        keys.idle,
        keys.failed,
        keys.workers,
        keys.suspects,
        keys.cancelled,
        keys.cancels,
        keys.expiring,
        ...keys.ready,
      ],
      [
        call.limit,
        call.maxCrashes,
        call.keepFinished ? 1 : 0,
        call.keepFailed ? 1 : 0,
        call.graceMs,
        call.crashJson,
        call.poisonJson,
      ],
    ),
  );
  const nextEndInMs = asNumber(nextEndIn);
  const timedOutEnd = asNumber(timedOutCount) * 2;
  return {
    nextEndInMs: nextEndInMs < 0 ? undefined : nextEndInMs,
    woke: asNumber(woke) === 1,
    workerNumber: asText(worker) || undefined,
    timedOut: asJobs(jobs.slice(0, timedOutEnd)),
    jobs: asJobs(jobs.slice(timedOutEnd)),
  };
}
