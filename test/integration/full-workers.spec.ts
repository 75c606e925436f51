import { JobHandler, defineJob, unchecked, type EnqueueOptions, type Handles, type JobContext } from '@antrean/jobs';
import { WORKER_IDENTITY } from '@antrean/jobs/testing';
import type { WorkerIdentity } from '../../libs/jobs/src/store/exchange.js';
import { eventually } from '../support/eventually.js';
import { startJobsApp, type JobsApp } from '../support/jobs-app.js';

const Held = defineJob('held.run', { payload: unchecked<object>() });

@JobHandler(Held)
class HeldHandler implements Handles<typeof Held> {
  async handle({ signal }: JobContext): Promise<void> {
    await new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => {
        resolve();
      });
    });
    signal.throwIfAborted();
  }
}

describe('a job that comes while every worker is full', () => {
  let jobs: JobsApp;
  let running: string;

  beforeEach(async () => {
    jobs = await startJobsApp([Held], [HeldHandler], { slots: 1 });
    const { number } = jobs.app.get<WorkerIdentity>(WORKER_IDENTITY);
    const channel = jobs.link.keys(Held.type).wake(String(number));
    await eventually(async () => {
      expect(await jobs.link.redis.call('PUBSUB', 'SHARDNUMSUB', channel)).toEqual([channel, 1]);
    });
    running = (await jobs.queue.enqueue(Held, {})).jobId;
    await jobs.until(running, ({ status }) => status === 'processing');
  });

  afterEach(async () => {
    await jobs.close();
  });

  const submit = (options: EnqueueOptions) => jobs.queue.enqueue(Held, {}, options);

  it('expires in time', async () => {
    const { jobId } = await submit({ expiresInMs: 300 });
    const { createdAt, finishedAt } = await jobs.until(jobId, ({ status }) => status === 'expired');
    expect((finishedAt?.getTime() ?? Infinity) - createdAt.getTime()).toBeLessThan(800);
    expect((await jobs.status.get(running))?.status).toBe('processing');
  });

  it('queues in time', async () => {
    const { jobId } = await submit({ delayMs: 300 });
    const submittedAt = performance.now();
    await jobs.until(jobId, ({ status }) => status === 'queued');
    expect(performance.now() - submittedAt).toBeLessThan(1_000);
    expect((await jobs.status.get(running))?.status).toBe('processing');
  });
});
