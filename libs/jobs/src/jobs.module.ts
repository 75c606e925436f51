import { Module, type DynamicModule, type Provider } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { connectRedis } from '@antrean/platform';
import { JobCatalog } from './definition/job-catalog.js';
import { BackgroundWork } from './runtime/background-work.js';
import { Executor } from './runtime/executor.js';
import { HandlerRegistry } from './runtime/handler-registry.js';
import { HeartThread } from './runtime/heart-thread.js';
import { Heart } from './runtime/heart.js';
import { NoteWriter } from './runtime/note-writer.js';
import { WORKER_PARTS, type WorkerParts } from './runtime/worker.js';
import { WorkerHealth } from './runtime/worker-health.js';
import { WORKER_IDENTITY, newWorkerIdentity } from './runtime/worker-identity.js';
import { WORKER_OPTIONS, type WorkerOptions } from './runtime/worker-options.js';
import { WorkerRuntime } from './runtime/worker-runtime.js';
import { BootCheck } from './services/boot-check.js';
import { ControlService } from './services/control.service.js';
import { DeadLettersService } from './services/dead-letters.service.js';
import { DedupeService } from './services/dedupe.service.js';
import { EnqueueBatcher } from './services/enqueue-batcher.js';
import { JobEnds } from './services/job-ends.js';
import { JobFinder } from './services/job-finder.js';
import { PRODUCER_OPTIONS, type ProducerOptions } from './services/producer-options.js';
import { QueueHealth } from './services/queue-health.js';
import { QueueService } from './services/queue.service.js';
import { Rouser } from './services/rouser.js';
import { SUBMIT_LINK, submitLink } from './services/submit-link.js';
import { ListService } from './services/list.service.js';
import { StatusService } from './services/status.service.js';
import type { WorkerIdentity } from './store/exchange.js';
import { Gate } from './store/gate.js';
import { Link } from './store/link.js';
import { ReplicaGate } from './store/replicated.js';
import { harmless } from './telemetry/harmless-logger.js';
import { JobJournal } from './telemetry/job-journal.js';
import { JobLogs } from './telemetry/job-logs.js';
import { JOB_METRICS_PROVIDERS } from './telemetry/job-metrics.js';

const PRODUCER_EXPORTS = [
  JobCatalog,
  QueueService,
  StatusService,
  ListService,
  DedupeService,
  ControlService,
  DeadLettersService,
  QueueHealth,
];

/** For other modules of this library; its door shows them to nobody else. */
const INNER_EXPORTS = [PRODUCER_OPTIONS, Link, EnqueueBatcher, JobJournal];

@Module({})
export class JobsModule {
  /** For applications that submit and look: provides `QueueService`, `StatusService`, `ListService`, `DedupeService`, `ControlService`, `DeadLettersService`, `JobCatalog`, `QueueHealth`. */
  static forProducer(given: ProducerOptions): DynamicModule {
    const options = { ...given, logger: harmless(given.logger) };
    return {
      module: JobsModule,
      global: true,
      providers: producerProviders(options),
      exports: [...PRODUCER_EXPORTS, ...INNER_EXPORTS],
    };
  }

  /** For applications that run jobs: all of `forProducer`, and every `@JobHandler` among the providers is put to work. */
  static forWorker(given: WorkerOptions): DynamicModule {
    const options = { ...given, logger: harmless(given.logger) };
    return {
      module: JobsModule,
      global: true,
      imports: [DiscoveryModule],
      providers: [...producerProviders(options), ...workerProviders(options)],
      exports: [...PRODUCER_EXPORTS, ...INNER_EXPORTS, WorkerHealth, BackgroundWork],
    };
  }
}

function producerProviders(options: ProducerOptions): Provider[] {
  const { redisUrl, keyPrefix, logger, definitions } = options;
  return [
    { provide: PRODUCER_OPTIONS, useValue: options },
    { provide: JobCatalog, useValue: new JobCatalog(definitions) },
    { provide: Link, useFactory: () => new Link(connectRedis(redisUrl, { name: 'antrean', logger }), keyPrefix, new Gate()) },
    { provide: SUBMIT_LINK, useFactory: (link: Link) => submitLink(link, options), inject: [Link] },
    { provide: ReplicaGate, useFactory: (submits: Link) => new ReplicaGate(submits), inject: [SUBMIT_LINK] },
    ...JOB_METRICS_PROVIDERS,
    JobJournal,
    Rouser,
    EnqueueBatcher,
    QueueService,
    JobEnds,
    StatusService,
    JobFinder,
    ListService,
    DedupeService,
    ControlService,
    DeadLettersService,
    QueueHealth,
    BootCheck,
  ];
}

function workerProviders(options: WorkerOptions): Provider[] {
  return [
    { provide: WORKER_OPTIONS, useValue: options },
    { provide: WORKER_IDENTITY, useFactory: newWorkerIdentity },
    { provide: Heart, useFactory: (identity: WorkerIdentity) => new HeartThread(options, identity), inject: [WORKER_IDENTITY] },
    JobLogs,
    NoteWriter,
    Executor,
    HandlerRegistry,
    {
      provide: WORKER_PARTS,
      useFactory: (
        identity: WorkerIdentity,
        registry: HandlerRegistry,
        link: Link,
        executor: Executor,
        journal: JobJournal,
        heart: Heart,
        notes: NoteWriter,
        rouser: Rouser,
        batcher: EnqueueBatcher,
      ): WorkerParts => ({ identity, registry, link, executor, journal, heart, notes, rouser, batcher, options }),
      inject: [WORKER_IDENTITY, HandlerRegistry, Link, Executor, JobJournal, Heart, NoteWriter, Rouser, EnqueueBatcher],
    },
    WorkerRuntime,
    WorkerHealth,
    BackgroundWork,
  ];
}
