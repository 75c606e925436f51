import { Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { EventLoopIndicator } from './event-loop.indicator.js';
import { HealthDetails } from './health-details.js';
import { HealthController } from './health.controller.js';
import { QueueIndicator } from './queue.indicator.js';
import { StorageIndicator } from './storage.indicator.js';
import { WorkIndicator } from './work.indicator.js';

@Module({
  // Terminus would write a line at every probe that finds Redis away; the connection itself says so once.
  imports: [TerminusModule.forRoot({ logger: false })],
  controllers: [HealthController],
  providers: [HealthDetails, QueueIndicator, StorageIndicator, WorkIndicator, EventLoopIndicator],
})
export class HealthModule {}
