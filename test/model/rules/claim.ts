import { isExpired, type Job } from './job.js';
import type { Queue } from './queue.js';

export interface Claim {
  readonly token: string;
  readonly want: number;
  /** Whether a suspect may be among them. */
  readonly suspects: boolean;
  /** Of the newest payload that the worker reads. */
  readonly version: number;
  /** Lower priorities first. */
  readonly upwards: boolean;
  readonly keepFinished: boolean;
}

/**
 * Who is to run, as many as are wanted and there are, in this order: a suspect, one at most and only where it may be; jobs that
 * stood aside and can be read by this worker; then the lines by priority, each from its front.
 * On its way it ends what waited beyond its deadline, and lets those step aside that the worker cannot read.
 */
export function claimable(queue: Queue, claim: Claim, now: number): Job[] {
  const jobs: Job[] = [];
  let suspects = claim.suspects ? 1 : 0;
  const walk = (ulids: readonly string[], parked: boolean): void => {
    for (const ulid of ulids) {
      if (jobs.length === claim.want) return;
      const job = queue.jobs.get(ulid);
      if (job === undefined) continue;
      const suspect = queue.isSuspect(job);
      if (suspect && suspects === 0) {
        // Nobody but the worker that takes it as a suspect comes across it.
        if (parked) continue;
        return;
      }
      if (isExpired(job, now)) {
        queue.tally.saw(parked ? 'expired while parked' : 'expired at a claim');
        queue.end(job, 'expire', 'expired', now, claim.keepFinished);
      } else if (job.version > claim.version) {
        queue.leaveLine(job);
        queue.parked.add(ulid);
        queue.tally.saw('parked');
      } else {
        if (parked) queue.tally.saw('unparked');
        if (suspect) {
          suspects = 0;
          queue.tally.saw('suspect claimed');
        }
        jobs.push(job);
      }
    }
  };
  walk([...queue.suspects], false);
  walk(readable(queue, claim.version), true);
  for (const line of claim.upwards ? queue.lines : queue.lines.toReversed()) walk([...line], false);
  return jobs;
}

/** Parked jobs that a worker of this version reads, the oldest version first. */
function readable(queue: Queue, version: number): string[] {
  const versionOf = (ulid: string): number => queue.jobs.get(ulid)?.version ?? 0;
  return [...queue.parked]
    .filter((ulid) => versionOf(ulid) <= version)
    .sort((a, b) => versionOf(a) - versionOf(b) || (a < b ? -1 : 1));
}

/** A run begins. */
export function start(queue: Queue, job: Job, token: string, now: number): void {
  queue.leaveLine(job);
  queue.change(job, 'claim', 'processing');
  job.attempt += 1;
  job.runs += 1;
  job.startedBeforeAt = job.startedAt;
  job.startedAt = now;
  job.token = token;
}
