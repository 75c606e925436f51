import 'reflect-metadata';
import { Module, type DynamicModule, type INestApplicationContext } from '@nestjs/common';
import { HttpAdapterHost, NestFactory } from '@nestjs/core';
import { IsOptional, IsString } from 'class-validator';
import { register } from 'prom-client';
import {
  JobHandler,
  JobsModule,
  QueueService,
  StatusService,
  defineJob,
  unchecked,
  type Handles,
  type JobContext,
} from '../../../libs/jobs/src/index.js';
import { NestLog, createLogger } from '../../../libs/platform/src/index.js';
import { BenchPayload, type BenchJob } from '../job.js';
import type { OpenSide, OpenWorker, Side, Stored, Variant, WorkerSettings } from './side.js';

const Plain = defineJob('bench.plain', { payload: unchecked<BenchPayload>() });
const Validated = defineJob('bench.validated', { payload: BenchPayload });
/** A payload checked under the worker's very rules is not checked again, so the worker has a rule more, as in a rolling deploy. */
class NewerBenchPayload extends BenchPayload {
  @IsOptional()
  @IsString()
  note?: string;
}
const NewerValidated = defineJob('bench.validated', { payload: NewerBenchPayload });
const DEFINITIONS = { plain: Plain, validated: Validated };

const KEPT_MS = 3_600_000;
const FINISHED = 'antrean_jobs_finished_total';
const logger = createLogger({ app: 'worker', level: 'error', format: 'json' });

/** What handlers tell that they ran. */
class Runs {
  constructor(readonly tell: (number: number) => void) {}
}

@JobHandler(Plain)
class PlainHandler implements Handles<typeof Plain> {
  constructor(private readonly runs: Runs) {}

  handle({ payload }: JobContext<typeof Plain>): void {
    this.runs.tell(payload.number);
  }
}

@JobHandler(NewerValidated)
class ValidatedHandler implements Handles<typeof NewerValidated> {
  constructor(private readonly runs: Runs) {}

  handle({ payload }: JobContext<typeof NewerValidated>): void {
    this.runs.tell(payload.number);
  }
}

const producerOptions = (redisUrl: string) => ({
  definitions: [Plain, Validated],
  redisUrl,
  keyPrefix: 'bench',
  logger,
});

@Module({})
class ProducerModule {
  static register(redisUrl: string): DynamicModule {
    return { module: ProducerModule, imports: [JobsModule.forProducer(producerOptions(redisUrl))] };
  }
}

@Module({})
class WorkerModule {
  static register(redisUrl: string, { variant, slots, keep }: WorkerSettings, runs: Runs): DynamicModule {
    const { type } = DEFINITIONS[variant];
    const jobs = JobsModule.forWorker({
      ...producerOptions(redisUrl),
      definitions: [Plain, NewerValidated],
      types: [type],
      slots,
      concurrency: { [type]: slots },
      leaseMs: 30_000,
      shutdownGraceMs: 25_000,
      retentionMs: keep ? KEPT_MS : 0,
      deadRetentionMs: KEPT_MS,
    });
    return {
      module: WorkerModule,
      imports: [jobs],
      providers: [{ provide: Runs, useValue: runs }, PlainHandler, ValidatedHandler],
    };
  }
}

/** Antrean as it is built, in Nest applications like those it ships. */
export const openOurs: OpenSide = async (redisUrl) => {
  const producer = await NestFactory.createApplicationContext(ProducerModule.register(redisUrl), { logger: new NestLog(logger) });
  return new Ours(redisUrl, producer);
};

class Ours implements Side {
  private readonly queue: QueueService;
  private readonly status: StatusService;

  constructor(
    private readonly redisUrl: string,
    producer: INestApplicationContext,
  ) {
    this.queue = producer.get(QueueService);
    this.status = producer.get(StatusService);
  }

  submit(variant: Variant, { payload, traceparent }: BenchJob): Promise<unknown> {
    return this.queue.enqueue(DEFINITIONS[variant], payload, { traceparent });
  }

  submitBulk(variant: Variant, jobs: readonly BenchJob[]): Promise<unknown> {
    return this.queue.enqueueBulk(
      DEFINITIONS[variant],
      jobs.map(({ payload, traceparent }) => ({ payload, options: { traceparent } })),
    );
  }

  async openWorker(settings: WorkerSettings, onRun: (number: number) => void): Promise<OpenWorker> {
    const module = WorkerModule.register(this.redisUrl, settings, new Runs(onRun));
    const app = await NestFactory.create(module, { logger: new NestLog(logger) });
    await app.init();
    const before = await finishedSoFar();
    return {
      start: () => {
        // As in the worker's own main.ts: from here on jobs are claimed.
        app.get(HttpAdapterHost).listening = true;
      },
      settled: async () => (await finishedSoFar()) - before,
      close: () => app.close(),
    };
  }

  async stored(variant: Variant): Promise<Stored> {
    const { counts } = await this.status.depth(DEFINITIONS[variant].type);
    return { waiting: counts.queued, kept: counts.succeeded };
  }

  forgetEvents(): Promise<void> {
    return Promise.resolve();
  }
}

/** The metric that operators watch counts a job once Redis has answered its settle. */
async function finishedSoFar(): Promise<number> {
  const metric = await register.getSingleMetric(FINISHED)?.get();
  return (metric?.values ?? []).reduce((sum, { value }) => sum + value, 0);
}
