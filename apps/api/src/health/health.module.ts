import { Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { HealthController } from './health.controller.js';
import { QueueIndicator } from './queue.indicator.js';
import { Readiness } from './readiness.js';
import { StorageIndicator } from './storage.indicator.js';

@Module({
  // Terminus would write a line at every probe that finds Redis away; the connection itself says so once.
  imports: [TerminusModule.forRoot({ logger: false })],
  controllers: [HealthController],
  providers: [QueueIndicator, StorageIndicator, Readiness],
  exports: [Readiness],
})
export class HealthModule {}
