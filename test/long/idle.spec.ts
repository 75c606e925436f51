import { loadavg } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { defineJob, unchecked } from '@antrean/jobs';
import { EngineHost } from '../fixtures/engine/engine-host.js';
import { ClientCalls } from '../support/client-calls.js';
import { startJobsApp } from '../support/jobs-app.js';
import { newKeyPrefix } from '../support/shared-redis.js';
import { latenessMs } from '../support/lateness.js';
import { percentile } from '../support/percentile.js';
import { TestRedis } from '../support/test-redis.js';
import { succeeded, untilJob } from '../support/until-job.js';

jest.setTimeout(10 * 60_000);

const Count = defineJob('count.run', { payload: unchecked<{ n: number }>() });
const MINUTE_MS = 60_000;
/**
 * Calls a minute. The goal is less than one a second for a worker of the shipped types; it makes about 20, and between 8 and 9 more for
 * each further type. What it calls does not depend on how busy the machine is.
 */
const MOST_CALLS = 30;
const MOST_CALLS_A_TYPE = 9;

/** A worker of these types with a Redis of its own. */
async function startWorker(types: readonly string[]) {
  const [host, redis] = await Promise.all([EngineHost.start('./counts.mjs'), TestRedis.start()]);
  const keyPrefix = newKeyPrefix();
  const observer = await startJobsApp([Count], [], { keyPrefix, redisUrl: redis.url, types: ['!*'] });
  await host.open('worker', { redisUrl: redis.url, keyPrefix, types });
  const { jobId } = await observer.queue.enqueue(Count, { n: 0 });
  await untilJob(observer, jobId, succeeded);
  const stop = async (): Promise<void> => {
    await Promise.all([host.kill(), observer.close()]);
    await redis.stop();
  };
  return { host, redis, observer, stop };
}

/** What a worker does in a minute without a job, beginning a while after its start. */
async function idleMinute(types: readonly string[]): Promise<{ readonly calls: number; readonly cpuMs: number }> {
  const { host, redis, stop } = await startWorker(types);
  await pause(10_000);
  const calls = await ClientCalls.watch(redis.url);
  try {
    calls.take();
    const before = await host.cpuMs();
    await pause(MINUTE_MS);
    return { calls: calls.take().length, cpuMs: (await host.cpuMs()) - before };
  } finally {
    calls.stop();
    await stop();
  }
}

const print = (text: string): void => {
  process.stdout.write(`${text} (load ${loadavg()[0]?.toFixed(1) ?? ''})\n`);
};

describe('a worker without a job', () => {
  it('of one type, as it is shipped, asks Redis less than once a second', async () => {
    const { calls, cpuMs } = await idleMinute([Count.type]);
    print(`idle, 1 type: ${calls} calls and ${Math.round(cpuMs)} ms of processor time a minute`);
    expect(calls).toBeGreaterThan(0);
    expect(calls).toBeLessThan(MOST_CALLS);
  });

  it('of 200 types more asks no more than its allowance for each', async () => {
    const { calls, cpuMs } = await idleMinute(['*']);
    print(`idle, 201 types: ${calls} calls and ${Math.round(cpuMs)} ms of processor time a minute`);
    expect(calls).toBeLessThan(MOST_CALLS + 200 * MOST_CALLS_A_TYPE);
  });
});

describe('delayed jobs on a quiet queue', () => {
  it('start on time', async () => {
    const { host, observer, stop } = await startWorker([Count.type]);
    try {
      const lateness = await latenessMs(host, 'worker', observer, { count: 500, overMs: 30_000 });
      const [p50, p99, most] = [0.5, 0.99, 1].map((share) => percentile(lateness, share));
      print(`500 delayed jobs over 30 s: started late by p50 ${p50 ?? NaN} ms, p99 ${p99 ?? NaN} ms, at most ${most ?? NaN} ms`);
      // The goal is a p99 of 10 ms on a machine of its own; with three times as much to run as it has cores, it was 33 ms.
      expect(p50).toBeLessThan(30);
      expect(p99).toBeLessThan(150);
    } finally {
      await stop();
    }
  });
});
