import type { HealthIndicatorResult } from '@nestjs/terminus';

/** Looks at one thing that this process needs. */
export interface Indicator {
  check(): HealthIndicatorResult | Promise<HealthIndicatorResult>;
}

/** Those that are asked, in this order. */
export const INDICATORS = Symbol('INDICATORS');
