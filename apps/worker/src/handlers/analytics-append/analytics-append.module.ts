import { Module, type DynamicModule } from '@nestjs/common';
import { AnalyticsAppendHandler } from './analytics-append.handler.js';
import { EventFile } from './event-file.js';

/** Runs jobs of the type `analytics.append`. */
@Module({})
export class AnalyticsAppendModule {
  static register({ analyticsFile }: { readonly analyticsFile: string }): DynamicModule {
    return {
      module: AnalyticsAppendModule,
      providers: [{ provide: EventFile, useFactory: () => new EventFile(analyticsFile) }, AnalyticsAppendHandler],
    };
  }
}
