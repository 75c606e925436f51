import { Module, type DynamicModule } from '@nestjs/common';
import type { Logger } from '@antrean/platform';
import { JobCatalog } from './definition/job-catalog.js';
import type { JobDefinition } from './definition/job-definition.js';
import { DedupeService } from './services/dedupe.service.js';
import { QueueService } from './services/queue.service.js';
import { StatusService } from './services/status.service.js';

/** What both sides need. */
export interface ProducerOptions {
  readonly definitions: readonly JobDefinition[];
  /** See `parseRedisUrl` of the platform for the forms. */
  readonly redisUrl: string;
  readonly keyPrefix: string;
  readonly maxPayloadBytes: number;
  readonly logger: Logger;
}

/** What a worker needs beyond. */
export interface WorkerOptions extends Omit<ProducerOptions, 'maxPayloadBytes'> {
  readonly maxPayloadBytes?: number;
  /** Types to run: names and globs, `!` excludes; `['*']` is all. A type named outright must have a handler. */
  readonly types: readonly string[];
  /** Jobs of all types together that this process runs at once. */
  readonly slots: number;
  /** Jobs a type, where it differs from the definition's `concurrency`. */
  readonly concurrency: Readonly<Record<string, number>>;
  readonly leaseMs: number;
  readonly shutdownGraceMs: number;
  readonly retentionMs: number;
  readonly deadRetentionMs: number;
}

@Module({})
export class JobsModule {
  /** For applications that submit and look: provides `QueueService`, `StatusService`, `DedupeService`, `JobCatalog`. */
  static forProducer(options: ProducerOptions): DynamicModule {
    const providers = [
      { provide: JobCatalog, useFactory: () => new JobCatalog(options.definitions) },
      QueueService,
      StatusService,
      DedupeService,
    ];
    return { module: JobsModule, global: true, providers, exports: providers };
  }

  /** For applications that run jobs: all of `forProducer`, and every `@JobHandler` among the providers is put to work. */
  static forWorker(options: WorkerOptions): DynamicModule {
    return JobsModule.forProducer({ maxPayloadBytes: 262_144, ...options });
  }
}
