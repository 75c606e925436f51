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

  /** The gauges as Prometheus reads them; nothing when Redis is out of reach, as the other metrics are wanted just then. */
  async text(): Promise<string> {
    try {
      const depths = await Promise.all(this.catalog.types.map((type) => this.status.depth(type)));
      return await gaugesOf(depths).metrics();
    } catch (err) {
      this.log.warn({ err }, 'queue depths could not be read for a scrape');
      return '';
    }
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
