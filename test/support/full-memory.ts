import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { RunAct, type Act } from '../fixtures/engine/act.js';
import { EngineHost } from '../fixtures/engine/engine-host.js';
import { startTestApi } from './api-app.js';
import { expectUnavailable, untilAccepted } from './away-answer.js';
import { startJobsApp } from './jobs-app.js';
import { newKeyPrefix } from './shared-redis.js';
import { TestRedis } from './test-redis.js';
import { succeeded, untilJob } from './until-job.js';

const LIMIT = 64 * 1_024 * 1_024;
const EVERY_MS = 200;
/** Jobs of each kind. */
const COUNT = 20;

/**
 * Lets a worker with jobs in hand and in line go through a time in which Redis has no memory left, and expects of all that
 * nothing becomes of it but refused submits. How many were refused.
 * @param fullMs for how long; several leases
 */
export async function goThroughFullMemory({
  fullMs,
  leaseMs,
}: {
  readonly fullMs: number;
  readonly leaseMs: number;
}): Promise<number> {
  const server = await TestRedis.start();
  const redis = new Redis({ port: server.port });
  const settings = { redisUrl: server.url, keyPrefix: newKeyPrefix(), types: [RunAct.type], leaseMs };
  const host = await EngineHost.start();
  const observer = await startJobsApp([RunAct], [], { ...settings, types: ['!*'] });
  const api = await startTestApi({ REDIS_URL: server.url });
  try {
    await host.open('worker', { ...settings, concurrency: { [RunAct.type]: 2 * COUNT } });
    const submit = async (act: Act, delayMs = 0): Promise<readonly string[]> => {
      const jobs = Array.from({ length: COUNT }, () =>
        observer.queue.enqueue(RunAct, act, { timeoutMs: 10 * fullMs, ...(delayMs > 0 && { delayMs }) }),
      );
      return (await Promise.all(jobs)).map(({ jobId }) => jobId);
    };
    const endingMeanwhile = await submit({ act: 'wait', gate: 'meanwhile' });
    const endingAfter = await submit({ act: 'wait', gate: 'after' });
    for (const jobId of [...endingMeanwhile, ...endingAfter]) await host.until(jobId, 'started');
    const inLine = await submit({ act: 'return' });
    const delayed = await submit({ act: 'return' }, Math.ceil(fullMs / 2));

    await fill(redis);
    const until = performance.now() + fullMs;
    await host.openGate('meanwhile');
    let refused = 0;
    while (performance.now() < until) {
      await expectUnavailable(api, { outcome: 'not_written' });
      refused += 1;
      await pause(EVERY_MS);
    }
    const early = [...endingMeanwhile, ...inLine, ...delayed];
    for (const jobId of early) await untilJob(observer, jobId, succeeded);
    expect((await observer.status.depth(RunAct.type)).counts).toMatchObject({
      processing: COUNT,
      succeeded: 3 * COUNT,
      failed: 0,
    });
    await expectUnavailable(api, { outcome: 'not_written' });

    await empty(redis);
    await untilAccepted(api);
    await host.openGate('after');
    const later = await submit({ act: 'return' });
    for (const jobId of [...early, ...endingAfter, ...later]) {
      const job = await untilJob(observer, jobId, succeeded);
      expect(job).toMatchObject({ attempt: 1, crashes: 0, result: expect.stringMatching(/^(waited|returned)$/) as string });
      expect(job.runs).toHaveLength(1);
      expect(host.toldOf(jobId, 'started')).toHaveLength(1);
    }
    return refused;
  } finally {
    redis.disconnect();
    await Promise.all([host.kill(), observer.close(), api.close()]);
    await server.stop();
  }
}

/** Until Redis takes no more; what is used then stays well above the limit, whatever buffers come and go. */
async function fill(redis: Redis): Promise<void> {
  await redis.config('SET', 'maxmemory', LIMIT);
  const block = 'x'.repeat(1_024 * 1_024);
  for (let n = 0; await takes(redis, `filler:${n}`, block); n += 1);
  await redis.config('SET', 'maxmemory', LIMIT / 2);
}

async function takes(redis: Redis, key: string, value: string): Promise<boolean> {
  try {
    await redis.set(key, value);
    return true;
  } catch (error) {
    if (error instanceof Error && error.message.startsWith('OOM')) return false;
    throw error;
  }
}

async function empty(redis: Redis): Promise<void> {
  await redis.config('SET', 'maxmemory', LIMIT);
  for await (const keys of redis.scanStream({ match: 'filler:*' })) await redis.unlink(...(keys as readonly string[]), 'filler');
}
