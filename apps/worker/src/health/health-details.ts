import { Inject, Injectable, ServiceUnavailableException } from '@nestjs/common';
import { HealthCheckService, type HealthCheckResult } from '@nestjs/terminus';
import { INDICATORS, type Indicator } from './indicator.js';

/** Looks at all that this worker needs. */
@Injectable()
export class HealthDetails {
  constructor(
    private readonly checks: HealthCheckService,
    @Inject(INDICATORS) private readonly indicators: readonly Indicator[],
  ) {}

  /** Terminus' own form, whether all of it works or not. */
  async look(): Promise<HealthCheckResult> {
    try {
      return await this.checks.check(this.indicators.map((indicator) => () => indicator.check()));
    } catch (error) {
      if (!(error instanceof ServiceUnavailableException)) throw error;
      // Terminus throws its result wrapped in this exception.
      return error.getResponse() as HealthCheckResult;
    }
  }
}
