import { Module, type DynamicModule, type Type } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { HealthDetails } from './health-details.js';
import { INDICATORS, type Indicator } from './indicator.js';

/** Provides `HealthDetails`, which asks an application's indicators. Each wants what it looks at, from a global module. */
@Module({})
export class HealthDetailsModule {
  /** @param indicators are asked in this order. */
  static register(indicators: readonly Type<Indicator>[]): DynamicModule {
    return {
      module: HealthDetailsModule,
      // Terminus would write a line at every probe that finds Redis away; the connection itself says so once.
      imports: [TerminusModule.forRoot({ logger: false })],
      providers: [
        ...indicators,
        { provide: INDICATORS, useFactory: (...each: readonly Indicator[]) => each, inject: [...indicators] },
        HealthDetails,
      ],
      exports: [HealthDetails],
    };
  }
}
