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

  /** The gauges as Prometheus reads them; of a type whose Redis cannot be reached that it is not up: nothing else is known of it. */
  async text(): Promise<string> {
    const { types } = this.catalog;
    const asked = await Promise.allSettled(types.map((type) => this.status.depth(type)));
    const depths = asked.flatMap((depth) => (depth.status === 'fulfilled' ? [depth.value] : []));
    const unread = types.filter((_type, nth) => asked[nth]?.status === 'rejected');
    const [failure] = asked.flatMap((depth) => (depth.status === 'rejected' ? [depth] : []));
    if (failure !== undefined) {
      this.log.warn({ err: failure.reason as unknown, types: unread }, 'queue depths could not be read for a scrape');
    }
    return gaugesOf(depths, unread).metrics();
  }
}

/** A registry of its own for each scrape: a gauge that stayed would go on telling what was true before an outage. */
function gaugesOf(depths: readonly QueueDepth[], unread: readonly string[]): Registry {
  const registry = new Registry();
  const up = new Gauge({
    name: 'antrean_queue_up',
    help: 'Whether Redis answered for the type at this scrape (1) or not (0).',
    labelNames: ['type'],
    registers: [registry],
  });
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
  for (const type of unread) up.set({ type }, 0);
  for (const { type, counts, oldestQueuedMs, outgoing } of depths) {
    up.set({ type }, 1);
    for (const status of JOB_STATUSES) jobs.set({ type, status }, counts[status]);
    oldest.set({ type }, (oldestQueuedMs ?? 0) / 1_000);
    events.set({ type }, outgoing);
  }
  return registry;
}
