import { Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { DatabaseIndicator } from './database.indicator.js';
import { HealthController } from './health.controller.js';
import { INDICATORS, type Indicator } from './indicator.js';
import { QueueIndicator } from './queue.indicator.js';
import { Readiness } from './readiness.js';
import { StorageIndicator } from './storage.indicator.js';

const LOOKED_AT = [QueueIndicator, StorageIndicator, DatabaseIndicator];

@Module({
  // Terminus would write a line at every probe that finds Redis away; the connection itself says so once.
  imports: [TerminusModule.forRoot({ logger: false })],
  controllers: [HealthController],
  providers: [
    ...LOOKED_AT,
    { provide: INDICATORS, useFactory: (...indicators: readonly Indicator[]) => indicators, inject: LOOKED_AT },
    Readiness,
  ],
  exports: [Readiness],
})
export class HealthModule {}
