import { setTimeout as pause } from 'node:timers/promises';
import type { Job } from '@antrean/jobs';
import { RunAct } from '../fixtures/engine/act.js';
import { EngineHost } from '../fixtures/engine/engine-host.js';
import { eventually } from '../support/eventually.js';
import { startJobsApp } from '../support/jobs-app.js';
import { newKeyPrefix } from '../support/shared-redis.js';
import { TestRedis } from '../support/test-redis.js';
import { succeeded, untilJob } from '../support/until-job.js';

jest.setTimeout(120_000);

const LEASE_MS = 2_000;
const JOBS = 4;

/** How a Redis goes, and how it comes back. */
const WAYS = { hangs: ['freeze', 'thaw'], 'is killed': ['kill', 'restart'] } as const;

/** A job as it ended on the other side of an outage, and how often a handler began it. */
interface Survivor {
  readonly job: Job;
  readonly starts: number;
}

async function goThroughOutage([goes, comes]: (typeof WAYS)[keyof typeof WAYS]): Promise<readonly Survivor[]> {
  const server = await TestRedis.start();
  const settings = { redisUrl: server.url, keyPrefix: newKeyPrefix(), types: [RunAct.type], leaseMs: LEASE_MS };
  const hosts = await Promise.all([EngineHost.start(), EngineHost.start()]);
  const observer = await startJobsApp([RunAct], [], { ...settings, types: ['!*'] });
  try {
    const concurrency = { [RunAct.type]: JOBS / 2 };
    await Promise.all(hosts.map((host) => host.open('worker', { ...settings, concurrency })));
    const startsOf = (jobId: string): number => hosts.flatMap((host) => host.toldOf(jobId, 'started')).length;
    const submits = Array.from({ length: JOBS }, () => observer.queue.enqueue(RunAct, { act: 'wait', gate: 'open' }));
    const ids = (await Promise.all(submits)).map(({ jobId }) => jobId);
    await eventually(() => {
      expect(ids.map(startsOf)).toEqual(ids.map(() => 1));
    });
    await server[goes]();
    await pause(3 * LEASE_MS);
    await server[comes]();
    // Long enough for a reaper to find that the leases were over.
    await pause(3 * LEASE_MS);
    await Promise.all(hosts.map((host) => host.openGate('open')));
    return await Promise.all(
      ids.map(async (jobId) => ({ job: await untilJob(observer, jobId, succeeded), starts: startsOf(jobId) })),
    );
  } finally {
    await Promise.all([...hosts.map((host) => host.kill()), observer.close()]);
    await server.stop();
  }
}

describe('a Redis that is away for three leases', () => {
  // Most of it is waiting: they go through it at once.
  const outages = { hangs: goThroughOutage(WAYS.hangs), 'is killed': goThroughOutage(WAYS['is killed']) };
  // The test of each says what failed.
  for (const outage of Object.values(outages)) outage.catch(() => undefined);

  it.each(['hangs', 'is killed'] as const)(
    'as it %s costs no living worker its jobs, and no job a crash or a second run',
    async (way) => {
      const jobs = await outages[way];
      expect(jobs).toHaveLength(JOBS);
      for (const { job, starts } of jobs) {
        expect(job).toMatchObject({ attempt: 1, crashes: 0, runs: [{ outcome: 'succeeded' }] });
        expect(starts).toBe(1);
      }
    },
  );
});
