import { holderOf, take } from './dedupe.js';
import { isFinal, isWaiting, type Status } from './job.js';
import type { Queue } from './queue.js';

export interface CancelAnswer {
  /** As it is then. */
  readonly status: Status;
  readonly changed: boolean;
}

/** A job that waits is cancelled at once; one that runs is asked to stop, once; a finished one stays what it is. */
export function cancel(queue: Queue, ulids: readonly string[], now: number): (CancelAnswer | undefined)[] {
  return ulids.map((ulid) => {
    const job = queue.jobs.get(ulid);
    if (job === undefined) return undefined;
    const before = job.revision;
    if (isWaiting(job)) queue.end(job, 'cancel', 'cancelled', now, true);
    else if (job.status === 'processing' && job.cancelAskedAt === 0) {
      job.cancelAskedAt = now;
      queue.change(job, 'cancel');
    }
    return { status: job.status, changed: job.revision !== before };
  });
}

export interface Replay {
  readonly ulid: string;
  /** Another payload, and its version. */
  readonly edited: { readonly payload: string; readonly version: number } | undefined;
}

export type ReplayAnswer = 'replayed' | 'not_finished' | 'unknown' | { readonly holder: string };

/** Finished jobs run again: with all that was recorded of them, but for counters, result and deadline. */
export function replay(queue: Queue, replays: readonly Replay[], now: number): ReplayAnswer[] {
  return replays.map((one) => {
    const answer = replayOne(queue, one, now);
    if (typeof answer === 'object') queue.tally.saw('replay refused for a holder');
    return answer;
  });
}

function replayOne(queue: Queue, { ulid, edited }: Replay, now: number): ReplayAnswer {
  const job = queue.jobs.get(ulid);
  if (job === undefined) return 'unknown';
  if (!isFinal(job)) return 'not_finished';
  const { dedupe } = job.submit;
  const holder = dedupe && holderOf(queue, dedupe.key, now);
  // Its own hold counts as free.
  if (holder !== undefined && holder !== ulid) return { holder };

  // After a success, or with another payload, it begins anew; else it goes on where it was.
  if (job.status === 'succeeded' || edited !== undefined) {
    job.checkpoint = undefined;
    job.steps.clear();
  }
  Object.assign(job, { attempt: 0, crashes: 0, crashesInAll: 0, snoozes: 0 });
  Object.assign(job, { result: undefined, progress: undefined, cancelAskedAt: 0 });
  Object.assign(job, { dueAt: now, startedAt: 0, finishedAt: 0, expiresAt: 0 });
  if (edited !== undefined) {
    Object.assign(job, edited);
    queue.tally.saw('replayed with another payload');
  }
  job.replays += 1;
  queue.seq += 1;
  job.seq = queue.seq;
  queue.change(job, 'replay', 'queued');
  if (dedupe !== undefined) queue.tally.saw(`dedupe retaken: ${dedupe.policy}`);
  take(queue, job, now);
  queue.joinLine(job, 'back');
  return 'replayed';
}

/** Finished jobs go with all that belongs to them; no other does. Each one's status before. */
export function remove(queue: Queue, ulids: readonly string[]): (Status | undefined)[] {
  const statuses = ulids.map((ulid) => queue.jobs.get(ulid)?.status);
  for (const ulid of ulids) {
    const job = queue.jobs.get(ulid);
    if (job === undefined || !isFinal(job)) continue;
    queue.tally.saw(`removed: ${job.status}`);
    queue.free(job);
    queue.jobs.delete(ulid);
  }
  return statuses;
}
