import { setTimeout as pause } from 'node:timers/promises';
import { RunAct } from '../fixtures/engine/act.js';
import { EngineHost } from '../fixtures/engine/engine-host.js';
import { eventually } from '../support/eventually.js';
import { newKeyPrefix, startJobsApp, type JobsApp } from '../support/jobs-app.js';
import { TestRedis } from '../support/test-redis.js';
import { succeeded, untilJob } from '../support/until-job.js';

jest.setTimeout(120_000);

const LEASE_MS = 2_000;
const JOBS = 4;

describe('a Redis that is away for three leases', () => {
  let server: TestRedis;
  let hosts: readonly EngineHost[];
  let observer: JobsApp;

  beforeEach(async () => {
    server = await TestRedis.start();
    const settings = { redisUrl: server.url, keyPrefix: newKeyPrefix(), types: [RunAct.type], leaseMs: LEASE_MS };
    hosts = await Promise.all([EngineHost.start(), EngineHost.start()]);
    observer = await startJobsApp([RunAct], [], { ...settings, types: ['!*'] });
    const concurrency = { [RunAct.type]: JOBS / 2 };
    await Promise.all(hosts.map((host) => host.open('worker', { ...settings, concurrency })));
  });

  afterEach(async () => {
    await Promise.all([...hosts.map((host) => host.kill()), observer.close()]);
    await server.stop();
  });

  const startsOf = (jobId: string): number => hosts.flatMap((host) => host.toldOf(jobId, 'started')).length;

  const ways: Readonly<Record<string, readonly (() => void | Promise<void>)[]>> = {
    hangs: [
      () => {
        server.freeze();
      },
      () => {
        server.thaw();
      },
    ],
    'is killed': [() => server.kill(), () => server.restart()],
  };

  it.each(Object.keys(ways))('as it %s costs no living worker its jobs, and no job a crash or a second run', async (way) => {
    const [goes, comes] = ways[way] ?? [];
    const submits = Array.from({ length: JOBS }, () => observer.queue.enqueue(RunAct, { act: 'wait', gate: 'open' }));
    const ids = (await Promise.all(submits)).map(({ jobId }) => jobId);
    await eventually(() => {
      expect(ids.map(startsOf)).toEqual(ids.map(() => 1));
    });
    await goes?.();
    await pause(3 * LEASE_MS);
    await comes?.();
    // Long enough for a reaper to find that the leases were over.
    await pause(3 * LEASE_MS);
    await Promise.all(hosts.map((host) => host.openGate('open')));
    for (const jobId of ids) {
      expect(await untilJob(observer, jobId, succeeded)).toMatchObject({
        attempt: 1,
        crashes: 0,
        runs: [{ outcome: 'succeeded' }],
      });
      expect(startsOf(jobId)).toBe(1);
    }
  });
});
