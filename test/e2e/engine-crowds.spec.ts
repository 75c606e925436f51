import { defineJob, unchecked } from '@antrean/jobs';
import { RunAct } from '../fixtures/engine/act.js';
import { EngineHost } from '../fixtures/engine/engine-host.js';
import { eventually } from '../support/eventually.js';
import { startJobsApp, type JobsApp } from '../support/jobs-app.js';
import { REDIS_URL, newKeyPrefix } from '../support/shared-redis.js';

jest.setTimeout(120_000);

const Count = defineJob('count.run', { payload: unchecked<{ n: number }>() });
const CROWD = 20_000;

describe('workers of two processes', () => {
  const settings = { redisUrl: REDIS_URL, keyPrefix: newKeyPrefix(), types: [Count.type] };
  let hosts: readonly EngineHost[];
  let observer: JobsApp;

  beforeAll(async () => {
    hosts = await Promise.all([EngineHost.start('./counts.mjs'), EngineHost.start('./counts.mjs')]);
    observer = await startJobsApp([Count], [], { keyPrefix: settings.keyPrefix, types: ['!*'] });
    await Promise.all(hosts.map((host) => host.open('worker', settings)));
  });

  afterAll(async () => {
    await Promise.all([...hosts.map((host) => host.kill()), observer.close()]);
  });

  it('run 20,000 jobs, submitted in one turn and due in the same millisecond, once each', async () => {
    const runAt = new Date(Date.now() + 5_000);
    const results = await observer.queue.enqueueBulk(
      Count,
      Array.from({ length: CROWD }, (_, n) => ({ payload: { n }, options: { runAt } })),
    );
    const ids = new Set(results.map((result) => ('accepted' in result ? result.accepted.jobId : '')));
    expect(ids.size).toBe(CROWD);
    await eventually(async () => {
      expect((await observer.status.depth(Count.type)).counts).toMatchObject({ succeeded: CROWD, failed: 0, processing: 0 });
    }, 90_000);
    // The numbers that counts.mjs notes.
    const ran = (await Promise.all(hosts.map((host) => host.runs()))).flat() as number[];
    expect(ran).toHaveLength(CROWD);
    expect(new Set(ran).size).toBe(CROWD);
  });
});

describe('a job that does not run', () => {
  it('says what it waits for: its time, a worker that runs its type, or a free one', async () => {
    const keyPrefix = newKeyPrefix();
    const observer = await startJobsApp([RunAct], [], { keyPrefix, types: ['!*'] });
    const host = await EngineHost.start();
    const submit = async (...args: [delayMs?: number]): Promise<string> =>
      (await observer.queue.enqueue(RunAct, { act: 'wait', gate: 'never' }, { delayMs: args[0] ?? 0 })).jobId;
    const untilItWaitsFor = (jobId: string, reason: string) =>
      eventually(async () => {
        const job = await observer.status.get(jobId);
        expect(job?.waitingOn?.reason).toBe(reason);
        return job?.waitingOn;
      });
    try {
      const [first, second, third, later] = [await submit(), await submit(), await submit(), await submit(60_000)];
      expect(await untilItWaitsFor(first, 'no_worker')).toMatchObject({ detail: 'No live worker runs act.run.', until: null });
      const waiting = await untilItWaitsFor(later, 'schedule');
      expect(waiting?.until?.getTime()).toBeGreaterThan(Date.now());

      await host.open('worker', { redisUrl: REDIS_URL, keyPrefix });
      await host.until(first, 'started');
      expect(await untilItWaitsFor(second, 'worker')).toMatchObject({ position: 1, until: null });
      expect(await untilItWaitsFor(third, 'worker')).toMatchObject({ position: 2 });
      expect((await observer.status.get(first))?.waitingOn).toBeNull();
    } finally {
      await host.kill();
      await observer.close();
    }
  });
});
