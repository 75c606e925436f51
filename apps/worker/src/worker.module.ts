import { Module, type DynamicModule, type MiddlewareConsumer, type NestModule } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { catalog } from '@antrean/catalog';
import { BelongingsModule, JobsModule, OutboxModule } from '@antrean/jobs';
import { StorageModule, type Logger, type WorkerConfig } from '@antrean/platform';
import { ShopModule, ShopOutbox } from '@antrean/shop';
import { StoredBelongings } from './belongings/stored-belongings.js';
import { HandlersModule, ISOLATED_HEAP_MB, isolatedHandlers } from './handlers.module.js';
import { HealthModule } from './health/health.module.js';
import { OnlyGetMiddleware } from './http/only-get.middleware.js';
import { ProblemFilter } from './http/problem.filter.js';
import { MetricsModule } from './metrics/metrics.module.js';
import { OrdersModule } from './orders/orders.module.js';
import { webhookDelivery } from './webhooks/webhook-delivery.js';

@Module({})
export class WorkerModule implements NestModule {
  static register(config: WorkerConfig, logger: Logger): DynamicModule {
    return {
      module: WorkerModule,
      imports: [
        JobsModule.forWorker({
          ...config,
          definitions: catalog,
          webhooks: webhookDelivery,
          isolated: isolatedHandlers,
          isolatedHeapMb: ISOLATED_HEAP_MB,
          logger,
        }),
        StorageModule.register(config.storageUrl),
        ShopModule.register({ ...config, logger }),
        OutboxModule.forWorker({ store: ShopOutbox }),
        BelongingsModule.forWorker({ belongings: StoredBelongings }),
        HandlersModule.register(config),
        OrdersModule.register(config),
        HealthModule,
        MetricsModule.register(config),
      ],
      providers: [{ provide: APP_FILTER, useFactory: () => new ProblemFilter(logger) }],
    };
  }

  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(OnlyGetMiddleware).forRoutes('{*path}');
  }
}
