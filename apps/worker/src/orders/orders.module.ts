import { Module, type DynamicModule } from '@nestjs/common';
import type { WorkerConfig } from '@antrean/platform';
import { LONGEST_PAUSE_MS, OutcomeFollower } from './outcome-follower.js';
import { OutcomeFollowerRuntime } from './outcome-follower-runtime.js';

type Retention = Pick<WorkerConfig, 'retentionMs' | 'deadRetentionMs'>;

const RARELY_MS = 300_000;
const OFTEN_MS = 1_000;

/** Brings the outcomes of their jobs back to the orders. */
@Module({})
export class OrdersModule {
  static register(retention: Retention): DynamicModule {
    return {
      module: OrdersModule,
      providers: [{ provide: LONGEST_PAUSE_MS, useValue: longestPauseOf(retention) }, OutcomeFollower, OutcomeFollowerRuntime],
    };
  }
}

/** Several times before a job that has ended is swept. */
function longestPauseOf({ retentionMs, deadRetentionMs }: Retention): number {
  return Math.max(Math.min(retentionMs / 4, deadRetentionMs / 4, RARELY_MS), OFTEN_MS);
}
