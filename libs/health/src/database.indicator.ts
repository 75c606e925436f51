import { Injectable } from '@nestjs/common';
import { HealthIndicatorService, type HealthIndicatorResult } from '@nestjs/terminus';
import { DatabaseLife } from '@antrean/shop';

/** Whether the database answers, and its tables are those of this version. */
@Injectable()
export class DatabaseIndicator {
  constructor(
    private readonly indicators: HealthIndicatorService,
    private readonly database: DatabaseLife,
  ) {}

  async check(): Promise<HealthIndicatorResult<'database'>> {
    const { ping, detail } = await this.database.check();
    const session = this.indicators.check('database');
    return detail === null ? session.up({ ping, detail }) : session.down({ ping, detail });
  }
}
