import { Module, type DynamicModule } from '@nestjs/common';
import { PrometheusModule } from '@willsoto/nestjs-prometheus';
import { DepthMetrics } from './depth-metrics.js';
import { MetricsController } from './metrics.controller.js';

@Module({})
export class MetricsModule {
  static register(): DynamicModule {
    // The process's own metrics belong to the process, not to an application in it: main.ts collects them.
    const prometheus = PrometheusModule.register({ controller: MetricsController, defaultMetrics: { enabled: false } });
    return { ...prometheus, providers: [...(prometheus.providers ?? []), DepthMetrics] };
  }
}
