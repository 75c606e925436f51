import { Injectable } from '@nestjs/common';
import { HealthIndicatorService, type HealthIndicatorResult } from '@nestjs/terminus';
import { StorageHealth } from '@antrean/platform';

/** Whether files can be written. */
@Injectable()
export class StorageIndicator {
  constructor(
    private readonly indicators: HealthIndicatorService,
    private readonly storage: StorageHealth,
  ) {}

  async check(): Promise<HealthIndicatorResult<'storage'>> {
    const { write, detail } = await this.storage.check();
    const session = this.indicators.check('storage');
    const data = { write, detail: detail ?? null };
    return write ? session.up(data) : session.down(data);
  }
}
