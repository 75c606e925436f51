import { Module } from '@nestjs/common';
import { DatabaseIndicator, HealthDetailsModule, QueueIndicator, StorageIndicator } from '@antrean/health';
import { EventLoopIndicator } from './event-loop.indicator.js';
import { HealthController } from './health.controller.js';
import { WorkIndicator } from './work.indicator.js';

@Module({
  imports: [
    HealthDetailsModule.register([QueueIndicator, StorageIndicator, DatabaseIndicator, WorkIndicator, EventLoopIndicator]),
  ],
  controllers: [HealthController],
})
export class HealthModule {}
