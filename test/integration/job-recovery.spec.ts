import { IsString } from 'class-validator';
import { register } from 'prom-client';
import { JobHandler, defineJob, isFinal, type Handles, type Job, type JobContext } from '@antrean/jobs';
import { setClockOffset } from '@antrean/jobs/testing';
import { startJobsApp, type JobsApp } from '../support/jobs-app.js';
import { newKeyPrefix } from '../support/shared-redis.js';

class Payload {
  @IsString()
  name!: string;
}

const Slow = defineJob('slow.run', { payload: Payload, attempts: 3, maxCrashes: 2 });

/** Short, as a reaper that starts first waits for heartbeats. */
const LEASE_MS = 3_000;
/** A worker whose slot is taken does not take its own lost job again. */
const oneAtATime = { concurrency: { [Slow.type]: 1 } };

/** Hangs until it is told to stop, unless `finish` was called. */
@JobHandler(Slow)
class SlowHandler implements Handles<typeof Slow> {
  readonly contexts: JobContext<typeof Slow>[] = [];
  private readonly waiting: (() => void)[] = [];
  private open = false;

  async handle(context: JobContext<typeof Slow>): Promise<string> {
    this.contexts.push(context);
    if (!this.open) {
      await new Promise<void>((resolve, reject) => {
        this.waiting.push(resolve);
        context.signal.addEventListener('abort', () => {
          reject(context.signal.reason as Error);
        });
      });
    }
    return context.payload.name;
  }

  finish(): void {
    this.open = true;
    for (const resolve of this.waiting.splice(0)) resolve();
  }
}

const processing = (job: Job): boolean => job.status === 'processing';
const ended = (job: Job): boolean => isFinal(job.status);

describe('a worker that is lost', () => {
  let keyPrefix: string;
  let lost: JobsApp;
  let living: JobsApp;

  beforeEach(async () => {
    keyPrefix = newKeyPrefix();
    lost = await startJobsApp([Slow], [SlowHandler], { keyPrefix, leaseMs: LEASE_MS, ...oneAtATime, shutdownGraceMs: 100 });
  });

  afterEach(async () => {
    for (const app of [lost, living]) {
      app.app.get(SlowHandler).finish();
      await app.close();
    }
  });

  const expireLeases = () => setClockOffset(lost.link.redis, keyPrefix, Slow.type, LEASE_MS + 1);

  it('has its job run again elsewhere, ahead of fresh ones, with the crash in the trail and no attempt used', async () => {
    const { jobId } = await lost.queue.enqueue(Slow, { name: 'taken' });
    await lost.until(jobId, processing);
    await expireLeases();
    living = await startJobsApp([Slow], [SlowHandler], { keyPrefix, leaseMs: LEASE_MS, ...oneAtATime });
    living.app.get(SlowHandler).finish();
    const job = await living.until(jobId, ended);
    expect(job).toMatchObject({ status: 'succeeded', attempt: 1, crashes: 1, result: 'taken' });
    expect(job.runs).toMatchObject([
      { number: 1, outcome: 'crashed', error: { code: 'worker_lost' } },
      { number: 2, outcome: 'succeeded' },
    ]);
  });

  it('cannot settle any more, and is told to stop with the reason', async () => {
    const { jobId } = await lost.queue.enqueue(Slow, { name: 'late' });
    await lost.until(jobId, processing);
    await expireLeases();
    living = await startJobsApp([Slow], [SlowHandler], { keyPrefix, leaseMs: LEASE_MS, ...oneAtATime });
    const again = await living.until(jobId, (job) => job.runs.length === 2 && job.status === 'processing');
    await lost.heart.beat();
    await lost.until(jobId, () => lost.app.get(SlowHandler).contexts[0]?.signal.aborted === true);
    expect(lost.app.get(SlowHandler).contexts[0]?.signal.reason).toMatchObject({ code: 'lease_lost' });
    expect(await lost.status.get(jobId)).toMatchObject({ status: 'processing', revision: again.revision });
    living.app.get(SlowHandler).finish();
    expect((await living.until(jobId, ended)).runs).toHaveLength(2);
  });

  it('keeps its jobs when it is heard again before anybody took them', async () => {
    const { jobId } = await lost.queue.enqueue(Slow, { name: 'kept' });
    await lost.until(jobId, processing);
    await expireLeases();
    await lost.heart.beat();
    living = await startJobsApp([Slow], [SlowHandler], { keyPrefix, leaseMs: LEASE_MS, ...oneAtATime });
    lost.app.get(SlowHandler).finish();
    const job = await living.until(jobId, ended);
    expect(job).toMatchObject({ status: 'succeeded', crashes: 0 });
    expect(living.app.get(SlowHandler).contexts).toHaveLength(0);
  });

  it('has its job buried as poison when that was the last crash allowed', async () => {
    const { jobId } = await lost.queue.enqueue(Slow, { name: 'killer' });
    await lost.until(jobId, processing);
    await expireLeases();
    living = await startJobsApp([Slow], [SlowHandler], { keyPrefix, leaseMs: LEASE_MS, ...oneAtATime });
    await living.until(jobId, (job) => job.crashes === 1 && job.status === 'processing');
    await setClockOffset(lost.link.redis, keyPrefix, Slow.type, 3 * LEASE_MS);
    const third = await startJobsApp([Slow], [SlowHandler], { keyPrefix, leaseMs: LEASE_MS, ...oneAtATime });
    try {
      expect(await third.until(jobId, ended)).toMatchObject({
        status: 'failed',
        crashes: 2,
        attempt: 1,
        error: { code: 'poison' },
      });
      const { values = [] } = (await register.getSingleMetric('antrean_job_crashes_total')?.get()) ?? {};
      expect(values.map(({ labels }) => labels['reason'])).toEqual(['worker_lost', 'loop_blocked']);
      expect(values[0]?.value).toBeGreaterThanOrEqual(2);
      expect(values[1]?.value).toBe(0);
    } finally {
      await third.close();
    }
  });
});

describe('a shutdown', () => {
  it('lets a job in hand settle', async () => {
    const keyPrefix = newKeyPrefix();
    const jobs = await startJobsApp([Slow], [SlowHandler], { keyPrefix });
    const { jobId } = await jobs.queue.enqueue(Slow, { name: 'in hand' });
    await jobs.until(jobId, processing);
    const closing = jobs.close();
    jobs.app.get(SlowHandler).finish();
    await closing;
    const after = await startJobsApp([Slow], [SlowHandler], { keyPrefix, types: ['!*'] });
    expect(await after.status.get(jobId)).toMatchObject({ status: 'succeeded', attempt: 1, crashes: 0 });
    await after.close();
  });

  it('leaves no trace of the worker', async () => {
    const keyPrefix = newKeyPrefix();
    const jobs = await startJobsApp([Slow], [SlowHandler], { keyPrefix });
    jobs.app.get(SlowHandler).finish();
    const { jobId } = await jobs.queue.enqueue(Slow, { name: 'short' });
    await jobs.until(jobId, ended);
    await jobs.close();
    const after = await startJobsApp([Slow], [SlowHandler], { keyPrefix, types: ['!*'] });
    const keys = after.link.keys(Slow.type);
    expect(await after.link.redis.exists(keys.lanes, keys.workers, keys.leases, keys.idle, keys.running)).toBe(0);
    await after.close();
  });

  it('hands a job that does not end within the grace back, with no attempt used and no crash counted', async () => {
    const keyPrefix = newKeyPrefix();
    const jobs = await startJobsApp([Slow], [SlowHandler], { keyPrefix, shutdownGraceMs: 50 });
    const { jobId } = await jobs.queue.enqueue(Slow, { name: 'too long' });
    await jobs.until(jobId, processing);
    const handler = jobs.app.get(SlowHandler);
    await jobs.close();
    expect(handler.contexts[0]?.signal.reason).toMatchObject({ code: 'shutdown' });
    const after = await startJobsApp([Slow], [SlowHandler], { keyPrefix, types: ['!*'] });
    const job = await after.status.get(jobId);
    expect(job).toMatchObject({ status: 'queued', attempt: 0, crashes: 0, waitingOn: { reason: 'no_worker', position: 1 } });
    expect(job?.runs).toMatchObject([{ outcome: 'handed_back', error: null }]);
    await after.close();
  });
});
