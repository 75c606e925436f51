import { Module, type DynamicModule } from '@nestjs/common';
import { Loop } from '@antrean/jobs';
import type { Logger, WorkerConfig } from '@antrean/platform';
import { LONGEST_PAUSE_MS, OutcomeFollower } from './outcome-follower.js';
import { OutcomeFollowerRuntime } from './outcome-follower-runtime.js';

type OrdersOptions = Pick<WorkerConfig, 'retentionMs' | 'deadRetentionMs'> & { readonly logger: Logger };

const RARELY_MS = 300_000;
const OFTEN_MS = 1_000;

/** Brings the outcomes of their jobs back to the orders. */
@Module({})
export class OrdersModule {
  static register({ logger, ...retention }: OrdersOptions): DynamicModule {
    return {
      module: OrdersModule,
      providers: [
        { provide: LONGEST_PAUSE_MS, useValue: longestPauseOf(retention) },
        OutcomeFollower,
        {
          provide: OutcomeFollowerRuntime,
          useFactory: (follower: OutcomeFollower) => new OutcomeFollowerRuntime(new Loop('outcomes', follower, logger)),
          inject: [OutcomeFollower],
        },
      ],
    };
  }
}

/** Several times before a job that has ended is swept. */
function longestPauseOf({ retentionMs, deadRetentionMs }: Omit<OrdersOptions, 'logger'>): number {
  return Math.max(Math.min(retentionMs / 4, deadRetentionMs / 4, RARELY_MS), OFTEN_MS);
}
