import { Module, type DynamicModule, type ModuleMetadata, type Type } from '@nestjs/common';
import { BELONGINGS_METRICS_PROVIDERS } from './belongings/belongings-metrics.js';
import { BelongingsRuntime } from './belongings/belongings-runtime.js';
import { BelongingsSweeper } from './belongings/belongings-sweeper.js';
import { JobBelongings } from './belongings/job-belongings.js';

/** Where the jobs of an application store what is to go with them. */
export interface BelongingsModuleOptions {
  /** Modules that the constructor of the belongings needs. */
  readonly imports?: NonNullable<ModuleMetadata['imports']>;
  readonly belongings: Type<JobBelongings>;
}

/** Sweeps what jobs have stored outside Redis once they are gone. Wants a `JobsModule.forWorker` beside it. */
@Module({})
export class BelongingsModule {
  static forWorker({ imports = [], belongings }: BelongingsModuleOptions): DynamicModule {
    return {
      module: BelongingsModule,
      imports,
      providers: [
        { provide: JobBelongings, useClass: belongings },
        ...BELONGINGS_METRICS_PROVIDERS,
        BelongingsSweeper,
        BelongingsRuntime,
      ],
    };
  }
}
