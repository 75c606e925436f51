import { Module, type DynamicModule } from '@nestjs/common';
import { PrometheusModule } from '@willsoto/nestjs-prometheus';
import { ApiKeyRing, type WorkerConfig } from '@antrean/platform';
import { MetricsController } from './metrics.controller.js';

@Module({})
export class MetricsModule {
  static register({ apiKeys }: Pick<WorkerConfig, 'apiKeys'>): DynamicModule {
    return {
      module: MetricsModule,
      // The controller lives in PrometheusModule, and its guard needs the keys there.
      global: true,
      imports: [PrometheusModule.register({ controller: MetricsController })],
      providers: [{ provide: ApiKeyRing, useFactory: () => new ApiKeyRing(apiKeys) }],
      exports: [ApiKeyRing],
    };
  }
}
