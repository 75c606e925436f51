import { Queue, Worker, type Job } from 'bullmq';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { BenchPayload, type BenchJob } from '../job.js';
import type { OpenSide, OpenWorker, Side, Stored, Variant, WorkerSettings } from './side.js';

const NAMES = { plain: 'bench-plain', validated: 'bench-validated' };

/**
 * BullMQ: one worker a process, `addBulk`, removal by the worker, no options that a job does not need. Automatic pipelining makes
 * many submits in flight cheaper and single ones slower, so there is a queue object for each.
 */
export const openBullmq: OpenSide = async (redisUrl) => {
  const open = async (name: string, enableAutoPipelining: boolean) => {
    const queue = new Queue<BenchPayload>(name, { connection: { ...addressOf(redisUrl), enableAutoPipelining } });
    await queue.waitUntilReady();
    return queue;
  };
  const both = async (name: string): Promise<Queues> => ({ alone: await open(name, false), among: await open(name, true) });
  return new Bullmq(redisUrl, { plain: await both(NAMES.plain), validated: await both(NAMES.validated) });
};

interface Queues {
  /** For one call at a time. */
  readonly alone: Queue<BenchPayload>;
  /** For many at a time. */
  readonly among: Queue<BenchPayload>;
}

class Bullmq implements Side {
  constructor(
    private readonly redisUrl: string,
    private readonly queues: Readonly<Record<Variant, Queues>>,
  ) {}

  async submit(variant: Variant, { payload, traceparent }: BenchJob, inFlight: number): Promise<unknown> {
    if (variant === 'validated') check(payload, 'refuse');
    const { alone, among } = this.queues[variant];
    return (inFlight > 1 ? among : alone).add('bench', payload, traced(traceparent));
  }

  async submitBulk(variant: Variant, jobs: readonly BenchJob[]): Promise<unknown> {
    if (variant === 'validated') for (const { payload } of jobs) check(payload, 'refuse');
    return this.queues[variant].alone.addBulk(
      jobs.map(({ payload, traceparent }) => ({ name: 'bench', data: payload, opts: traced(traceparent) })),
    );
  }

  async openWorker({ variant, slots, keep }: WorkerSettings, onRun: (number: number) => void): Promise<OpenWorker> {
    const handle = (job: Job<BenchPayload>): Promise<void> => {
      const payload = variant === 'validated' ? check(job.data, 'ignore') : job.data;
      onRun(payload.number);
      return Promise.resolve();
    };
    const worker = new Worker<BenchPayload, void>(NAMES[variant], handle, {
      connection: { ...addressOf(this.redisUrl), maxRetriesPerRequest: null },
      concurrency: slots,
      autorun: false,
      ...(keep ? {} : { removeOnComplete: { count: 0 } }),
    });
    let completed = 0;
    worker.on('completed', () => (completed += 1));
    // Nothing fails here; what does would be missed in the figures. Thrown from an event, it ends the process and the run.
    worker.on('failed', (_job, error) => {
      throw error;
    });
    worker.on('error', (error) => {
      throw error;
    });
    await worker.waitUntilReady();
    return {
      start: () => void worker.run(),
      settled: () => Promise.resolve(completed),
      close: () => worker.close(),
    };
  }

  async stored(variant: Variant): Promise<Stored> {
    const { waiting, completed } = await this.queues[variant].alone.getJobCounts('waiting', 'completed');
    return { waiting: waiting ?? 0, kept: completed ?? 0 };
  }

  forgetEvents(variant: Variant): Promise<unknown> {
    return this.queues[variant].alone.trimEvents(0);
  }
}

function addressOf(redisUrl: string): { host: string; port: number } {
  const { hostname, port } = new URL(redisUrl);
  return { host: hostname, port: Number(port) };
}

/** BullMQ's own place for the trace context of a job. */
function traced(traceparent: string): { telemetry: { metadata: string } } {
  return { telemetry: { metadata: traceparent } };
}

/** The same check that Antrean makes, with the same settings. */
function check(plain: BenchPayload, unknownFields: 'refuse' | 'ignore'): BenchPayload {
  const payload = plainToInstance(BenchPayload, plain);
  const errors = validateSync(payload, {
    whitelist: unknownFields === 'refuse',
    forbidNonWhitelisted: unknownFields === 'refuse',
    forbidUnknownValues: false,
  });
  if (errors.length > 0) throw new Error(`The payload is invalid: ${errors.join(', ')}`);
  return payload;
}
