import { RunAct } from '../fixtures/engine/act.js';
import { EngineHost } from '../fixtures/engine/engine-host.js';
import type { JobsApp } from './jobs-app.js';
import { PathJob } from './path-job.js';
import { succeeded, untilJob } from './until-job.js';

const LEASE_MS = 3_000;

/** Tests that all a job can go through works on the Redis of an application that runs `PathJob` and knows `RunAct`. */
export function itWalksTheWholePath(appOf: () => JobsApp, redisUrlOf: () => string): void {
  it('runs a job as soon as it is submitted, tries a failed one again, and keeps trail, result and log', async () => {
    const app = appOf();
    const submit = async (act: 'return' | 'fail_once') => (await app.queue.enqueue(PathJob, { act })).jobId;
    const [first, second] = await Promise.all([submit('return'), submit('fail_once')]);
    expect(await app.until(first, succeeded)).toMatchObject({ result: 'done', crashes: 0, runs: [{ outcome: 'succeeded' }] });
    const runs = [{ outcome: 'failed' }, { outcome: 'succeeded' }];
    expect(await app.until(second, succeeded)).toMatchObject({ result: 'done', runs });
    const lines = await app.status.logs(second);
    expect(lines?.map(({ message }) => message)).toEqual(['running', 'running']);
  });

  it('tells who waits for a job that it has ended', async () => {
    const app = appOf();
    const { jobId } = await app.queue.enqueue(PathJob, { act: 'return' }, { delayMs: 300 });
    expect(await app.status.wait(jobId, { timeoutMs: 10_000 })).toMatchObject({ jobId, status: 'succeeded' });
  });

  it('starts a delayed job in its time, and none that was cancelled before', async () => {
    const app = appOf();
    const { jobId } = await app.queue.enqueue(PathJob, { act: 'return' }, { delayMs: 500 });
    const other = await app.queue.enqueue(PathJob, { act: 'return' }, { delayMs: 60_000 });
    await app.control.cancel(other.jobId);
    const { createdAt, startedAt } = await app.until(jobId, succeeded);
    expect(Number(startedAt) - Number(createdAt)).toBeGreaterThanOrEqual(500);
    expect(await app.status.get(other.jobId)).toMatchObject({ status: 'cancelled', runs: [] });
  });

  it('tells a running job to stop', async () => {
    const app = appOf();
    const { jobId } = await app.queue.enqueue(PathJob, { act: 'stay' });
    await app.until(jobId, ({ status }) => status === 'processing');
    await app.control.cancel(jobId);
    await app.until(jobId, ({ status }) => status === 'cancelled');
  });

  it('refuses a duplicate, and answers a once key again', async () => {
    const app = appOf();
    const options = { dedupeKey: 'same', dedupePolicy: 'until_finished', delayMs: 60_000 } as const;
    const { jobId } = await app.queue.enqueue(PathJob, { act: 'return' }, options);
    await expect(app.queue.enqueue(PathJob, { act: 'return' }, options)).rejects.toMatchObject({ code: 'duplicate_job', jobId });
    await app.control.cancel(jobId);
    const once = () => app.queue.enqueue(PathJob, { act: 'return' }, { onceKey: 'one' });
    expect(await once()).toMatchObject({ jobId: (await once()).jobId });
  });

  it('takes bulks, and counts what it has', async () => {
    const app = appOf();
    const results = await app.queue.enqueueBulk(
      PathJob,
      Array.from({ length: 300 }, () => ({ payload: { act: 'return' as const } })),
    );
    const ids = results.flatMap((result) => ('accepted' in result ? [result.accepted.jobId] : []));
    expect(ids).toHaveLength(300);
    for (const jobId of ids) await app.until(jobId, succeeded);
    expect((await app.status.depth(PathJob.type)).counts).toMatchObject({ queued: 0, processing: 0, failed: 0 });
  });

  it('gives the job of a worker that was killed to another', async () => {
    const app = appOf();
    const settings = { redisUrl: redisUrlOf(), keyPrefix: app.link.keyPrefix, leaseMs: LEASE_MS };
    const hosts = await Promise.all([EngineHost.start(), EngineHost.start()]);
    const [first, second] = hosts;
    try {
      await first.open('first', settings);
      const { jobId } = await app.queue.enqueue(RunAct, { act: 'wait', gate: 'open' });
      await first.until(jobId, 'started');
      await second.open('second', settings);
      await first.kill();
      await second.until(jobId, 'started');
      await second.openGate('open');
      const job = await untilJob(app, jobId, succeeded);
      expect(job).toMatchObject({
        result: 'waited',
        attempt: 1,
        crashes: 1,
        runs: [{ outcome: 'crashed' }, { outcome: 'succeeded' }],
      });
    } finally {
      await Promise.all(hosts.map((host) => host.kill()));
    }
  });
}
