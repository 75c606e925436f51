import { forgetWorker } from './exchange.js';
import { type Job } from './job.js';
import { MOST_CRASHES, type Lease, type Queue } from './queue.js';
import { note, type Keep } from './settle.js';
import { must } from './violation.js';

/** Moves the end of a lease on, also of one that is over and was not touched yet. How many jobs it covers; undefined: it is gone. */
export function heartbeat(queue: Queue, worker: string, now: number): number | undefined {
  const lease = queue.leases.get(worker);
  if (lease?.beingReaped === true) queue.tally.saw('lease not revived while it is reaped');
  if (lease === undefined || lease.beingReaped) return undefined;
  if (lease.endsAt <= now) queue.tally.saw('lease revived');
  lease.endsAt = now + queue.policy.leaseMs;
  return queue.heldBy(worker).length;
}

/** The run must be over by then, whatever its handler does. */
const hardLimitOf = (queue: Queue, job: Job): number => job.startedAt + job.submit.timeoutMs + queue.policy.graceMs;

/** Runs of a worker that are past their hard limit. */
export function overdue(queue: Queue, worker: string, now: number): string[] {
  return queue
    .heldBy(worker)
    .filter((job) => hardLimitOf(queue, job) <= now)
    .map(({ submit }) => submit.ulid);
}

/** How the crash of a run is to be recorded. */
export interface Crash {
  readonly keep: Keep;
  readonly crashError: string;
  readonly poisonError: string;
}

export interface BlockedCrash extends Crash {
  /** Others than those whose time is over may be what blocks. */
  readonly blameShared: boolean;
}

export interface Reap extends Crash {
  /** So many jobs at most. */
  readonly limit: number;
}

/** Whose jobs were taken, which of them, and which are left to be settled as timed out. */
export interface ReapAnswer {
  readonly worker: string | undefined;
  readonly timedOut: readonly string[];
  readonly taken: readonly string[];
}

/**
 * The jobs of one worker whose lease is over are taken away. A run that was past its hard limit when the worker was last heard of
 * timed out; any other crashed with its worker. Who is first among several is the engine's choice.
 */
export function reap(queue: Queue, call: Reap, { worker, timedOut, taken }: ReapAnswer, now: number): void {
  const over = [...queue.leases].filter(([, lease]) => lease.endsAt <= now || lease.beingReaped);
  if (worker === undefined) {
    must(over.length === 0, `the lease of ${over.map(([number]) => number).join()} is over and nobody was reaped`);
    return;
  }
  const lease = over.find(([number]) => number === worker)?.[1];
  must(lease !== undefined, `${worker} was reaped under a lease`);
  const held = queue.heldBy(worker);
  const looked = [...timedOut, ...taken];
  must(looked.length === Math.min(call.limit, held.length), `${looked.length} of ${held.length} jobs were looked at`);
  const lastHeardAt = lease.endsAt - queue.policy.leaseMs;
  for (const ulid of looked) {
    const job = held.find(({ submit }) => submit.ulid === ulid);
    must(job !== undefined, `${ulid} was taken from ${worker}, who does not run it`);
    const timeIsUp = hardLimitOf(queue, job) <= lastHeardAt;
    must(timeIsUp === timedOut.includes(ulid), `${ulid} ${timeIsUp ? 'timed out' : 'crashed'} and was taken for the opposite`);
  }
  if (timedOut.length > 0) queue.tally.saw('timed out by the reaper');
  // The oldest ends up in front.
  for (const ulid of [...taken].sort().reverse()) crash(queue, call, ulid, now);
  finishReaping(queue, worker, lease, held.length === taken.length && looked.length < call.limit);
}

/**
 * The event loop of a worker is blocked while it has several runs: those past their hard limit are taken from it, and count as
 * crashed; where others may be what blocks, not in a row. Which they were. The worker lives on, and so does its lease.
 */
export function crashOverdue(queue: Queue, worker: string, call: BlockedCrash, now: number): string[] {
  const taken = overdue(queue, worker, now).sort();
  for (const ulid of taken.toReversed()) {
    const { status } = crash(queue, call, ulid, now, call.blameShared);
    queue.tally.saw(`blocked loop: ${status}`);
    if (call.blameShared) queue.tally.saw(`blocked loop, perhaps by another: ${status}`);
  }
  if (taken.length > 0) queue.idle.delete(worker);
  return taken;
}

function crash(queue: Queue, { keep, crashError, poisonError }: Crash, ulid: string, now: number, blameShared = false): Job {
  const job = queue.jobs.get(ulid);
  must(job !== undefined, `${ulid} is gone`);
  if (!blameShared) job.crashes += 1;
  job.crashesInAll += 1;
  if (job.cancelAskedAt !== 0) {
    note(job, { outcome: 'cancelled', endedAt: now, nextAt: 0, error: crashError });
    queue.end(job, 'crash', 'cancelled', now, keep.finished);
  } else if (job.crashes >= queue.policy.maxCrashes || job.crashesInAll > MOST_CRASHES) {
    queue.tally.saw(job.crashes >= queue.policy.maxCrashes ? 'poison: crashes' : 'poison: crashes in all');
    note(job, { outcome: 'crashed', endedAt: now, nextAt: 0, error: poisonError });
    queue.end(job, 'crash', 'failed', now, keep.failed);
  } else {
    note(job, { outcome: 'crashed', endedAt: now, nextAt: now, error: crashError });
    job.attempt -= 1;
    job.dueAt = now;
    queue.change(job, 'crash', 'queued');
    queue.joinLine(job, 'front');
  }
  // Nothing that the worker says of the run counts any more.
  job.token = undefined;
  return job;
}

/** Once all are taken the worker is forgotten; until then no heartbeat brings the lease back. */
function finishReaping(queue: Queue, worker: string, lease: Lease, all: boolean): void {
  if (!all) {
    lease.beingReaped = true;
    queue.tally.saw('reaped in part');
    return;
  }
  queue.leases.delete(worker);
  forgetWorker(queue, worker);
}
