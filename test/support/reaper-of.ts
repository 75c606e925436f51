import { defineJob, unchecked } from '@antrean/jobs';
import { Reaper } from '../../libs/jobs/src/maintenance/reaper.js';
import type { WorkerOptions } from '../../libs/jobs/src/runtime/worker-options.js';
import { EnqueueBatcher } from '../../libs/jobs/src/services/enqueue-batcher.js';
import { Rouser } from '../../libs/jobs/src/services/rouser.js';
import { ReplicaGate } from '../../libs/jobs/src/store/replicated.js';
import type { JobJournal } from '../../libs/jobs/src/telemetry/job-journal.js';
import { silentLogger } from './shared-redis.js';
import type { StoredQueue } from './stored-queue.js';

interface ReaperPlan {
  readonly leaseMs: number;
  readonly graceMs: number;
  readonly isolation?: 'thread';
}

/** A reaper of the queue, in the hands of the test; `told` is what it says became of jobs, `retries` how often it told of some. */
export function reaperOf(queue: StoredQueue, { leaseMs, graceMs, isolation }: ReaperPlan) {
  const definition = defineJob(queue.type, {
    payload: unchecked<object>(),
    grace: `${graceMs}ms`,
    ...(isolation && { isolation }),
  });
  const told: string[] = [];
  const retries = { lookedFor: 0 };
  const rouser = new Rouser(queue.link, { logger: silentLogger });
  const context = {
    link: queue.link,
    worker: queue.newWorker().identity,
    // All that a reaper asks for.
    options: { leaseMs, retentionMs: 1, deadRetentionMs: 1 } as WorkerOptions,
    journal: { crashed: () => told.push('crashed'), settled: () => told.push('timed out') } as unknown as JobJournal,
    rouser,
    batcher: new EnqueueBatcher(queue.link, rouser, new ReplicaGate(queue.link), {}),
  };
  const reaper = new Reaper(
    definition,
    context,
    () => (retries.lookedFor += 1),
    () => undefined,
  );
  return { reaper, told, retries };
}
