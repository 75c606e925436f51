import { isFinal } from '@antrean/jobs';
import { DEDUPE_TTL_MS } from './queue-commands.js';
import type { QueueView } from './queue-view.js';
import type { PlannedJob } from './stored-queue.js';

interface Taker {
  readonly job: PlannedJob;
  readonly takenAt: number;
}

/** Who holds a dedupe key, by what its policy says in words. */
export class DedupeModel {
  private readonly takers = new Map<string, Taker>();

  took(job: PlannedJob, takenAt: number): void {
    if (job.plan.dedupe !== undefined) this.takers.set(job.plan.dedupe.key, { job, takenAt });
  }

  /** @param view how all jobs are, but for those that were accepted in the same call. */
  holderOf(job: PlannedJob, now: number, view: QueueView, acceptedNow: ReadonlySet<string>): string | undefined {
    const taker = job.plan.dedupe && this.takers.get(job.plan.dedupe.key);
    const policy = taker?.job.plan.dedupe?.policy;
    if (taker === undefined || policy === undefined) return undefined;
    const { ulid } = taker.job;
    if (acceptedNow.has(ulid)) return ulid;
    if (policy === 'ttl') return taker.takenAt + DEDUPE_TTL_MS > now ? ulid : undefined;
    const record = view.jobs.get(ulid)?.record;
    if (record === undefined) return undefined;
    const held = {
      until_started: record.runs === 0 && !isFinal(record.status),
      until_finished: !isFinal(record.status),
      until_result_expires: !isFinal(record.status) || record.status === 'succeeded',
    };
    return held[policy] ? ulid : undefined;
  }
}
