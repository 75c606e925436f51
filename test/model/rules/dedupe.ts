import { isFinal, type Job } from './job.js';
import type { Queue } from './queue.js';

/**
 * Who holds a dedupe key now. Its last taker does, for as long as its policy says: `ttl` until the deadline unless it was
 * cancelled or removed; `until_started` until its first run, and not again when it is retried; `until_finished` until it is
 * final; `until_result_expires` also while the result of its success is kept.
 */
export function holderOf(queue: Queue, key: string, now: number): string | undefined {
  const taker = queue.takers.get(key);
  if (taker === undefined) return undefined;
  const job = queue.jobs.get(taker.ulid);
  if (taker.submit.dedupe?.policy === 'ttl') return taker.deadline > now ? taker.ulid : undefined;
  return job !== undefined && holdsByStatus(job) ? taker.ulid : undefined;
}

function holdsByStatus(job: Job): boolean {
  switch (job.submit.dedupe?.policy) {
    case 'until_started':
      return !isFinal(job) && job.startedAt === 0;
    case 'until_finished':
      return !isFinal(job);
    case 'until_result_expires':
      return !isFinal(job) || job.status === 'succeeded';
    case 'ttl':
    case undefined:
      return false;
  }
}

/** A submit or replay that was accepted takes its key. */
export function take(queue: Queue, job: Job, now: number): void {
  const { dedupe, ulid } = job.submit;
  if (dedupe === undefined) return;
  const before = queue.takers.get(dedupe.key);
  if (before !== undefined && before.ulid !== ulid) queue.tally.saw(`dedupe freed: ${before.submit.dedupe?.policy ?? ''}`);
  const deadline = dedupe.policy === 'ttl' ? now + dedupe.ttlMs : 0;
  queue.takers.set(dedupe.key, { ulid, submit: job.submit, deadline });
}
