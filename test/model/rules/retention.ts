import { forgetWorker, laneOf } from './exchange.js';
import type { Job, Status } from './job.js';
import type { Queue } from './queue.js';
import { must } from './violation.js';

export interface Sweep {
  readonly retentionMs: number;
  /** For failed jobs. */
  readonly deadRetentionMs: number;
  readonly limit: number;
  /** No more failed jobs than this are kept. */
  readonly maxFailed: number;
}

const FINAL = ['succeeded', 'failed', 'cancelled', 'expired'] as const satisfies Status[];

/** Removes the finished jobs that were kept long enough, and the oldest failed ones beyond the number that is kept. */
export function sweep(queue: Queue, call: Sweep, gone: ReadonlySet<string>, now: number): void {
  must(gone.size <= call.limit, `${gone.size} jobs were swept, more than ${call.limit}`);
  let left = 0;
  for (const status of FINAL) {
    const mayGo = removable(queue, status, call, now);
    const went = mayGo.filter(({ submit }) => gone.has(submit.ulid));
    must(
      went.every((job, index) => job === mayGo[index]),
      `${status} jobs were not swept from the oldest on`,
    );
    left += mayGo.length - went.length;
    for (const job of went) {
      queue.tally.saw(`swept: ${status}`);
      queue.jobs.delete(job.submit.ulid);
    }
  }
  must(
    [...gone].every((ulid) => !queue.jobs.has(ulid)),
    'a job was swept that was to be kept',
  );
  must(left === 0 || gone.size === call.limit, `${left} jobs were left though the sweep was not at its limit`);
}

const GONE_AFTER_MS = 600_000;
/** A sweep looks at no more: of those that were told in vain, and of those that were not. */
const MOST_LOOKED_AT = 10;

/** Forgets some of the workers that have waited for long and run nothing: nobody hears for them in this test. */
export function forgetGone(queue: Queue, gone: ReadonlySet<string>, now: number): void {
  const silent = [...queue.idle].filter(([, { since }]) => since !== 0 && since + GONE_AFTER_MS <= now);
  const mayGo = silent.map(([worker]) => worker).filter((worker) => !queue.leases.has(worker));
  must(
    [...gone].every((worker) => mayGo.includes(worker)),
    'a worker was forgotten that may live',
  );
  must(gone.size === mayGo.length || silent.length > MOST_LOOKED_AT, 'a worker that is gone was not forgotten');
  must(gone.size <= 2 * MOST_LOOKED_AT, `${gone.size} workers were forgotten at once`);
  for (const worker of gone) {
    queue.tally.saw('idle worker forgotten');
    forgetWorker(queue, worker);
  }
}

/** A sweep looks at so many of all that have called, whether they are still there. */
const MOST_DOUBTED = 3;

/** Begins to count the time for workers that nobody hears for, that run nothing, and that are not known to wait since some time. */
export function doubt(queue: Queue, doubted: ReadonlySet<string>, now: number): void {
  must(doubted.size <= MOST_DOUBTED, `${doubted.size} workers were looked at`);
  for (const worker of doubted) {
    must(!queue.leases.has(worker), `${worker} has a lease and was taken for one that is gone`);
    must(
      [0, 1].some((lane) => queue.lanes.has(laneOf({ worker, lane }))),
      `${worker} never called`,
    );
    queue.tally.saw('worker in doubt');
    queue.idle.set(worker, { version: 0, suspects: false, since: now });
  }
}

/** The oldest first. Where failed jobs are too many, their age is looked at another time. */
function removable(queue: Queue, status: Status, call: Sweep, now: number): Job[] {
  const finished = queue.finished(status);
  const surplus = status === 'failed' ? finished.length - call.maxFailed : 0;
  if (surplus > 0) queue.tally.saw('swept: too many failed');
  if (surplus > 0) return finished.slice(0, surplus);
  const retentionMs = status === 'failed' ? call.deadRetentionMs : call.retentionMs;
  return finished.filter((job) => job.finishedAt + retentionMs <= now);
}
