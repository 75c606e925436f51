import { Injectable } from '@nestjs/common';
import { HealthIndicatorService, type HealthIndicatorResult } from '@nestjs/terminus';
import { QueueHealth } from '@antrean/jobs';

/** Whether Redis answers and takes writes. */
@Injectable()
export class QueueIndicator {
  constructor(
    private readonly indicators: HealthIndicatorService,
    private readonly queue: QueueHealth,
  ) {}

  async check(): Promise<HealthIndicatorResult<'redis'>> {
    const { ping, write, detail } = await this.queue.check();
    const session = this.indicators.check('redis');
    const data = { ping, write, detail: detail ?? null };
    return ping && write ? session.up(data) : session.down(data);
  }
}
