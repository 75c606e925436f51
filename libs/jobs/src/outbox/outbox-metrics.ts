import { Injectable } from '@nestjs/common';
import { InjectMetric, makeGaugeProvider } from '@willsoto/nestjs-prometheus';
import type { Gauge } from 'prom-client';
import type { OutboxStore } from './outbox-store.js';

/** To count the rows costs the database more the more there are. */
const AT_MOST_EVERY_MS = 5_000;

/** How far the relays are behind. */
@Injectable()
export class OutboxMetrics {
  private toldAt = -Infinity;

  constructor(
    @InjectMetric('antrean_outbox_rows') private readonly rows: Gauge,
    @InjectMetric('antrean_outbox_lag_seconds') private readonly lagSeconds: Gauge,
  ) {}

  /** Asks the store, unless that was done a moment ago. */
  async tell(store: Pick<OutboxStore<never>, 'lag'>): Promise<void> {
    if (performance.now() - this.toldAt < AT_MOST_EVERY_MS) return;
    this.toldAt = performance.now();
    const { rows, oldestMs } = await store.lag();
    this.rows.set(rows);
    this.lagSeconds.set(oldestMs / 1_000);
  }
}

export const OUTBOX_METRICS_PROVIDERS = [
  makeGaugeProvider({ name: 'antrean_outbox_rows', help: 'Jobs in the outbox that are not handed to Redis yet.' }),
  makeGaugeProvider({
    name: 'antrean_outbox_lag_seconds',
    help: 'For how long the oldest of them has waited; 0 when none does.',
  }),
  OutboxMetrics,
];
