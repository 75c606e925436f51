import { Injectable, ServiceUnavailableException } from '@nestjs/common';
import { HealthCheckService, type HealthCheckResult } from '@nestjs/terminus';
import { EventLoopIndicator } from './event-loop.indicator.js';
import { QueueIndicator } from './queue.indicator.js';
import { StorageIndicator } from './storage.indicator.js';
import { WorkIndicator } from './work.indicator.js';

/** Looks at all that this worker needs. */
@Injectable()
export class HealthDetails {
  constructor(
    private readonly checks: HealthCheckService,
    private readonly queue: QueueIndicator,
    private readonly storage: StorageIndicator,
    private readonly work: WorkIndicator,
    private readonly eventLoop: EventLoopIndicator,
  ) {}

  /** Terminus' own form, whether all of it works or not. */
  async look(): Promise<HealthCheckResult> {
    try {
      return await this.checks.check([
        () => this.queue.check(),
        () => this.storage.check(),
        () => this.work.check(),
        () => this.eventLoop.check(),
      ]);
    } catch (error) {
      if (!(error instanceof ServiceUnavailableException)) throw error;
      // Terminus throws its result wrapped in this exception.
      return error.getResponse() as HealthCheckResult;
    }
  }
}
