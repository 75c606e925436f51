import { randomUUID } from 'node:crypto';
import type { INestApplicationContext, Provider } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { JobsModule, QueueService, StatusService, type Job, type JobDefinition, type WorkerOptions } from '@antrean/jobs';
import { Heart, Link, ManualHeart, WORKER_IDENTITY } from '@antrean/jobs/testing';
import { createLogger } from '@antrean/platform';

/** Where the tests' Redis is; `npm test` starts one. */
export const REDIS_URL = process.env['REDIS_URL'] ?? 'redis://127.0.0.1:6390';

/** A prefix of one's own, so that test files run side by side. */
export function newKeyPrefix(): string {
  return `test-${randomUUID().slice(0, 8)}`;
}

export const silentLogger = createLogger({ app: 'worker', level: 'silent', format: 'json' });

export interface JobsApp {
  readonly app: INestApplicationContext;
  readonly queue: QueueService;
  readonly status: StatusService;
  readonly heart: ManualHeart;
  readonly link: Link;
  /** Stops as SIGTERM would. */
  close(): Promise<void>;
  /** The job once `done` holds of it; fails after 5 s with the job as it is then. */
  until(jobId: string, done: (job: Job) => boolean): Promise<Job>;
}

/** An application that submits and runs jobs on the tests' Redis. */
export async function startJobsApp(
  definitions: readonly JobDefinition[],
  handlers: readonly Provider[],
  options: Partial<WorkerOptions> = {},
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
  const module = await Test.createTestingModule({ imports: [JobsModule.forWorker(workerOptions)], providers: [...handlers] })
    .overrideProvider(Heart)
    .useFactory({
      factory: (link: Link, identity: ConstructorParameters<typeof ManualHeart>[1]) =>
        new ManualHeart(link, identity, workerOptions.leaseMs),
      inject: [Link, WORKER_IDENTITY],
    })
    .compile();
  await module.init();
  const status = module.get(StatusService);
  return {
    app: module,
    queue: module.get(QueueService),
    status,
    heart: module.get(Heart),
    link: module.get(Link),
    close: () => module.close(),
    until: (jobId, done) => until(status, jobId, done),
  };
}

async function until(status: StatusService, jobId: string, done: (job: Job) => boolean): Promise<Job> {
  const deadline = performance.now() + 5_000;
  for (;;) {
    const job = await status.get(jobId);
    if (job !== undefined && done(job)) return job;
    if (performance.now() > deadline) throw new Error(`${jobId} did not get there in time: ${JSON.stringify(job)}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
