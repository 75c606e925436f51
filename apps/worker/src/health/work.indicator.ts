import { Injectable } from '@nestjs/common';
import { HealthIndicatorService, type HealthIndicatorResult } from '@nestjs/terminus';
import { WorkerHealth } from '@antrean/jobs';

/** Whether this worker can run jobs, and what it has in hand. */
@Injectable()
export class WorkIndicator {
  constructor(
    private readonly indicators: HealthIndicatorService,
    private readonly worker: WorkerHealth,
  ) {}

  check(): HealthIndicatorResult<'work'> {
    const session = this.indicators.check('work');
    const { claimLoopAgeMs, running, zombies } = this.worker.detail();
    const data = { ready: this.worker.ready(), claim_loop_age_ms: claimLoopAgeMs, running, zombies };
    return this.worker.live() ? session.up(data) : session.down(data);
  }
}
