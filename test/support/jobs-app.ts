import type { INestApplicationContext, ModuleMetadata, Provider } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import {
  ControlService,
  JobsModule,
  QueueService,
  StatusService,
  type Job,
  type JobDefinition,
  type WorkerOptions,
} from '@antrean/jobs';
import { Heart, Link, ManualHeart, WORKER_IDENTITY } from '@antrean/jobs/testing';
import { eventually } from './eventually.js';
import { waitUntilReady } from '@antrean/platform';
import { REDIS_URL, newKeyPrefix, silentLogger } from './shared-redis.js';

export interface JobsApp {
  readonly app: INestApplicationContext;
  readonly queue: QueueService;
  readonly status: StatusService;
  readonly control: ControlService;
  readonly heart: ManualHeart;
  readonly link: Link;
  /** Stops as SIGTERM would. */
  close(): Promise<void>;
  /** The job once `done` holds of it; fails after 10 s with the job as it is then. */
  until(jobId: string, done: (job: Job) => boolean): Promise<Job>;
  /** Resolves once there is no such job; fails after 10 s. */
  untilGone(jobId: string): Promise<void>;
}

const PATIENCE_MS = 10_000;

/** An application that submits and runs jobs on the tests' Redis. */
export async function startJobsApp(
  definitions: readonly JobDefinition[],
  handlers: readonly Provider[],
  options: Partial<WorkerOptions> = {},
  imports: NonNullable<ModuleMetadata['imports']> = [],
): Promise<JobsApp> {
  const workerOptions: WorkerOptions = {
    definitions,
    redisUrl: REDIS_URL,
    keyPrefix: newKeyPrefix(),
    logger: silentLogger,
    types: ['*'],
    slots: 100,
    concurrency: {},
    leaseMs: 30_000,
    shutdownGraceMs: 2_000,
    retentionMs: 60_000,
    deadRetentionMs: 60_000,
    ...options,
  };
  const module = await Test.createTestingModule({
    imports: [JobsModule.forWorker(workerOptions), ...imports],
    providers: [...handlers],
  })
    .overrideProvider(Heart)
    .useFactory({
      factory: (link: Link, identity: ConstructorParameters<typeof ManualHeart>[1]) =>
        new ManualHeart(link, identity, workerOptions.leaseMs),
      inject: [Link, WORKER_IDENTITY],
    })
    .compile();
  try {
    await module.init();
  } catch (error) {
    await module.close();
    throw error;
  }
  const link = module.get(Link);
  if (!(await waitUntilReady(link.redis, PATIENCE_MS))) throw new Error(`There is no Redis at ${workerOptions.redisUrl}.`);
  const status = module.get(StatusService);
  return {
    app: module,
    queue: module.get(QueueService),
    status,
    control: module.get(ControlService),
    heart: module.get(Heart),
    link,
    close: () => module.close(),
    until: (jobId, done) =>
      eventually(async () => {
        const job = await status.get(jobId);
        if (job === undefined || !done(job)) throw new Error(`${jobId} did not get there in time: ${JSON.stringify(job)}`);
        return job;
      }, PATIENCE_MS),
    untilGone: (jobId) =>
      eventually(async () => {
        if ((await status.get(jobId)) !== undefined) throw new Error(`${jobId} is still there.`);
      }, PATIENCE_MS),
  };
}
