import { setTimeout as pause } from 'node:timers/promises';
import { defineJob, unchecked } from '@antrean/jobs';
import { EngineHost } from '../fixtures/engine/engine-host.js';
import { ClientCalls } from '../support/client-calls.js';
import { startJobsApp, type JobsApp } from '../support/jobs-app.js';
import { REDIS_URL, newKeyPrefix } from '../support/shared-redis.js';
import { latenessMs } from '../support/lateness.js';
import { percentile } from '../support/percentile.js';
import { TestRedis } from '../support/test-redis.js';
import { succeeded, untilJob } from '../support/until-job.js';

jest.setTimeout(120_000);

const Count = defineJob('count.run', { payload: unchecked<{ n: number }>() });
const DAY_MS = 86_400_000;
const IDLE_MS = 10_000;

describe('a worker with nothing to do', () => {
  let host: EngineHost;
  let quiet: JobsApp;
  let idle: JobsApp;
  let redis: TestRedis;
  let calls: ClientCalls | undefined;

  beforeAll(async () => {
    [host, redis] = await Promise.all([EngineHost.start('./counts.mjs'), TestRedis.start()]);
    const keyPrefix = newKeyPrefix();
    const observe = (redisUrl: string) => startJobsApp([Count], [], { keyPrefix, redisUrl, types: ['!*'] });
    [quiet, idle] = await Promise.all([observe(REDIS_URL), observe(redis.url)]);
    await host.open('quiet', { redisUrl: REDIS_URL, keyPrefix, types: [Count.type] });
    await host.open('idle', { redisUrl: redis.url, keyPrefix, types: [Count.type] });
  });

  afterAll(async () => {
    await Promise.all([host.kill(), quiet.close(), idle.close()]);
    calls?.stop();
    await redis.stop();
  });

  it('starts delayed jobs on time, leaves one of 60 days alone, and asks Redis less than once a second', async () => {
    const { jobId } = await idle.queue.enqueue(Count, { n: 0 }, { delayMs: 60 * DAY_MS });
    // It is up once it has run something.
    const { jobId: first } = await idle.queue.enqueue(Count, { n: 1 });
    await untilJob(idle, first, succeeded);
    calls = await ClientCalls.watch(redis.url);
    const [lateness] = await Promise.all([latenessMs(host, 'quiet', quiet, { count: 200, overMs: 5_000 }), pause(IDLE_MS)]);

    const asked = calls.take();
    expect(asked.length).toBeGreaterThan(0);
    expect(asked.length).toBeLessThan(IDLE_MS / 1_000);
    expect(await idle.status.get(jobId)).toMatchObject({ status: 'scheduled', attempt: 0, waitingOn: { reason: 'schedule' } });

    // The goal is 10 ms on a machine of its own; beside other tests it was 20 ms, and a bound on time must not fail for that.
    expect(Math.min(...lateness)).toBeGreaterThanOrEqual(0);
    expect(percentile(lateness, 0.99)).toBeLessThan(300);
  });
});
