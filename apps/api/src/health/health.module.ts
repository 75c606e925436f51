import { Module } from '@nestjs/common';
import { DatabaseIndicator, HealthDetailsModule, QueueIndicator, StorageIndicator } from '@antrean/health';
import { HealthController } from './health.controller.js';
import { Readiness } from './readiness.js';

@Module({
  imports: [HealthDetailsModule.register([QueueIndicator, StorageIndicator, DatabaseIndicator])],
  controllers: [HealthController],
  providers: [Readiness],
  exports: [Readiness],
})
export class HealthModule {}
