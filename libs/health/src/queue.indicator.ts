import { Injectable } from '@nestjs/common';
import { HealthIndicatorService, type HealthIndicatorResult } from '@nestjs/terminus';
import { QueueHealth } from '@antrean/jobs';

/** Whether Redis answers and takes writes, and has the replica that is asked for. */
@Injectable()
export class QueueIndicator {
  constructor(
    private readonly indicators: HealthIndicatorService,
    private readonly queue: QueueHealth,
  ) {}

  async check(): Promise<HealthIndicatorResult<'redis'>> {
    const { ping, write, replica, detail } = await this.queue.check();
    const session = this.indicators.check('redis');
    const data = { ping, write, replica, detail: detail ?? null };
    return ping && write && replica !== false ? session.up(data) : session.down(data);
  }
}
