import type { Delivery } from '../ledger/entries.js';
import { grouped } from './grouped.js';

/** How a job ended of which somebody was to be told. */
export interface Ended {
  readonly jobId: string;
  readonly status: string;
}

export interface Tidings {
  /** Jobs of whose end somebody was to be told. */
  readonly asked: number;
  /** Messages beyond the first under their id: they come at least once. */
  readonly repeated: number;
  /** Jobs whose end was never told. */
  readonly missing: readonly string[];
  /** Jobs of which another end was told as well, or of more than one end: how a job ends is recorded once. */
  readonly wrong: readonly string[];
}

/** Holds what the receiver of webhooks was told against how the jobs ended. `redisLost`: ends may have been forgotten, and come about again. */
export function judgeWebhooks(ended: readonly Ended[], deliveries: readonly Delivery[], redisLost: boolean): Tidings {
  const byJob = grouped(deliveries, ({ jobId }) => jobId);
  const toldOf = ({ jobId }: Ended) => byJob.get(jobId) ?? [];
  const isRight = ({ status }: Ended, { event }: Delivery) => event === `job.${status}`;
  const idsOf = (told: readonly Delivery[]) => new Set(told.map(({ messageId }) => messageId));
  const isWrong = (job: Ended) =>
    toldOf(job).some((delivery) => !isRight(job, delivery)) || (idsOf(toldOf(job)).size > 1 && !redisLost);
  return {
    asked: ended.length,
    repeated: deliveries.length - idsOf(deliveries).size,
    missing: ended.filter((job) => !toldOf(job).some((delivery) => isRight(job, delivery))).map(({ jobId }) => jobId),
    wrong: ended.filter(isWrong).map(({ jobId }) => jobId),
  };
}
