import { isExpired, isWaiting, type Job } from './job.js';
import type { Queue } from './queue.js';
import { must } from './violation.js';

export interface Promotion {
  readonly limit: number;
  readonly keepFinished: boolean;
}

/**
 * What time alone brings about: waiting jobs past their deadline expire, before any is promoted; then those whose time has come
 * join the back of their line in the order of their times.
 */
export function promote(queue: Queue, { limit, keepFinished }: Promotion, moved: readonly string[], now: number): void {
  must(moved.length <= limit, `${moved.length} jobs were moved, more than ${limit}`);
  const left = [...moved];
  const expired = waiting(
    queue,
    (job) => isExpired(job, now),
    (job) => job.expiresAt,
  ).slice(0, limit);
  for (const job of expired) {
    must(left.shift() === job.submit.ulid, `${job.submit.ulid} did not expire in its turn`);
    if (queue.parked.has(job.submit.ulid)) queue.tally.saw('expired while parked');
    queue.end(job, 'expire', 'expired', now, keepFinished);
  }
  const due = waiting(
    queue,
    (one) => one.status !== 'queued' && one.dueAt <= now,
    (one) => one.dueAt,
  );
  for (const job of due) {
    const turn = left[0] === job.submit.ulid;
    // Those that expire are looked at within the same bound.
    if (!turn && (moved.length === limit || expired.length > 0)) break;
    must(turn, `${job.submit.ulid} was not promoted in its turn`);
    left.shift();
    queue.change(job, 'promote', 'queued');
    queue.seq += 1;
    job.seq = queue.seq;
    queue.joinLine(job, 'back');
  }
  must(left.length === 0, `${left.join()} moved before its time`);
}

function waiting(queue: Queue, which: (job: Job) => boolean, time: (job: Job) => number): Job[] {
  return [...queue.jobs.values()]
    .filter((job) => isWaiting(job) && which(job))
    .sort((a, b) => time(a) - time(b) || (a.submit.ulid < b.submit.ulid ? -1 : 1));
}

/** When time will next bring something about; undefined: nothing waits. */
export function nextDueAt(queue: Queue): number | undefined {
  const times = waiting(
    queue,
    () => true,
    () => 0,
  ).flatMap(({ status, dueAt, expiresAt }) => [...(status === 'queued' ? [] : [dueAt]), ...(expiresAt === 0 ? [] : [expiresAt])]);
  return times.length === 0 ? undefined : Math.min(...times);
}
