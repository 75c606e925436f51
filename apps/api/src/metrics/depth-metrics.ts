import { Inject, Injectable } from '@nestjs/common';
import { JOB_STATUSES, JobCatalog, StatusService, type QueueDepth } from '@antrean/jobs';
import { type Logger } from '@antrean/platform';
import { Gauge, Registry } from 'prom-client';
import { API_LOG } from '../tokens.js';

/** How many jobs wait, run and are kept, and how many ends are to be told, asked of Redis at every scrape. */
@Injectable()
export class DepthMetrics {
  constructor(
    private readonly catalog: JobCatalog,
    private readonly status: StatusService,
    @Inject(API_LOG) private readonly log: Logger,
  ) {}

  /** The gauges as Prometheus reads them, of the types whose Redis can be reached: the other metrics are wanted just when one cannot. */
  async text(): Promise<string> {
    const { types } = this.catalog;
    const asked = await Promise.allSettled(types.map((type) => this.status.depth(type)));
    const depths = asked.flatMap((depth) => (depth.status === 'fulfilled' ? [depth.value] : []));
    const [failure] = asked.flatMap((depth) => (depth.status === 'rejected' ? [depth] : []));
    if (failure !== undefined) {
      const unread = types.filter((_type, nth) => asked[nth]?.status === 'rejected');
      this.log.warn({ err: failure.reason as unknown, types: unread }, 'queue depths could not be read for a scrape');
    }
    return depths.length === 0 ? '' : gaugesOf(depths).metrics();
  }
}

/** A registry of its own for each scrape: a gauge that stayed would go on telling what was true before an outage. */
function gaugesOf(depths: readonly QueueDepth[]): Registry {
  const registry = new Registry();
  const jobs = new Gauge({
    name: 'antrean_queue_jobs',
    help: 'Jobs by type and status.',
    labelNames: ['type', 'status'],
    registers: [registry],
  });
  const oldest = new Gauge({
    name: 'antrean_queue_oldest_age_seconds',
    help: 'How long the oldest queued job of a type has been due; 0 when none is queued.',
    labelNames: ['type'],
    registers: [registry],
  });
  const events = new Gauge({
    name: 'antrean_queue_outgoing_events',
    help: 'Ends of jobs with a webhook that no worker has handed on yet, by type.',
    labelNames: ['type'],
    registers: [registry],
  });
  for (const { type, counts, oldestQueuedMs, outgoing } of depths) {
    for (const status of JOB_STATUSES) jobs.set({ type, status }, counts[status]);
    oldest.set({ type }, (oldestQueuedMs ?? 0) / 1_000);
    events.set({ type }, outgoing);
  }
  return registry;
}
