import { Module, type DynamicModule } from '@nestjs/common';
import { PrometheusModule } from '@willsoto/nestjs-prometheus';
import { ApiKeyRing, type WorkerConfig } from '@antrean/platform';
import { MetricsController } from './metrics.controller.js';

@Module({})
export class MetricsModule {
  static register({ apiKeys }: Pick<WorkerConfig, 'apiKeys'>): DynamicModule {
    const prometheus = PrometheusModule.register({ controller: MetricsController });
    return {
      ...prometheus,
      providers: [...(prometheus.providers ?? []), { provide: ApiKeyRing, useFactory: () => new ApiKeyRing(apiKeys) }],
    };
  }
}
