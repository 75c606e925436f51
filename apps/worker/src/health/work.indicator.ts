import { Injectable } from '@nestjs/common';
import { HealthIndicatorService, type HealthIndicatorResult } from '@nestjs/terminus';
import { WorkerHealth } from '@antrean/jobs';

/** Whether the claim loop goes round, and what it has in hand. */
@Injectable()
export class WorkIndicator {
  constructor(
    private readonly indicators: HealthIndicatorService,
    private readonly worker: WorkerHealth,
  ) {}

  check(): HealthIndicatorResult<'work'> {
    const session = this.indicators.check('work');
    const data = { ready: this.worker.ready(), ...this.worker.detail() };
    return this.worker.live() ? session.up(data) : session.down(data);
  }
}
