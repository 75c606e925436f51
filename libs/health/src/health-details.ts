import { Inject, Injectable, ServiceUnavailableException } from '@nestjs/common';
import { HealthCheckService, type HealthCheckResult } from '@nestjs/terminus';
import { INDICATORS, type Indicator } from './indicator.js';

/** Looks at all that a process needs. */
@Injectable()
export class HealthDetails {
  constructor(
    private readonly checks: HealthCheckService,
    @Inject(INDICATORS) private readonly indicators: readonly Indicator[],
  ) {}

  /** Terminus' own form, and whether all of it works. */
  async look(): Promise<{ readonly works: boolean; readonly result: HealthCheckResult }> {
    try {
      return { works: true, result: await this.checks.check(this.indicators.map((indicator) => () => indicator.check())) };
    } catch (error) {
      if (!(error instanceof ServiceUnavailableException)) throw error;
      // Terminus throws its result wrapped in this exception.
      return { works: false, result: error.getResponse() as HealthCheckResult };
    }
  }
}
