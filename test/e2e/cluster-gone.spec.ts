import { setTimeout as sleep } from 'node:timers/promises';
import { EngineHost, type HostSettings } from '../fixtures/engine/engine-host.js';
import { RunAct } from '../fixtures/engine/act.js';
import { startTestApi, type TestApi } from '../support/api-app.js';
import { expectUnavailable, untilAccepted } from '../support/away-answer.js';
import { startJobsApp, type JobsApp } from '../support/jobs-app.js';
import { newKeyPrefix } from '../support/shared-redis.js';
import { TestCluster } from '../support/test-cluster.js';
import { succeeded, untilJob } from '../support/until-job.js';

jest.setTimeout(120_000);

/** Of a host, and then what was told to stop, what is handed back and what is left have a moment each; the rest is for a busy machine. */
const WORKER_END_MS = 500 + 3 * 1_500 + 5_000;
const API_END_MS = 5_000;
/** All that works in the background has tried by then: a heart beats each second. */
const SOME_BEATS_MS = 3_000;

describe('while all nodes of a Cluster are away', () => {
  const keyPrefix = newKeyPrefix();
  let cluster: TestCluster;
  let host: EngineHost;
  let api: TestApi;
  let observer: JobsApp;

  beforeAll(async () => {
    cluster = await TestCluster.start();
    host = await EngineHost.start();
    observer = await startJobsApp([RunAct], [], { redisUrl: cluster.url, keyPrefix, types: [] });
    api = await startTestApi({ REDIS_URL: cluster.url });
  });

  afterAll(async () => {
    await host.kill();
    await Promise.all([observer.close(), api.close()]);
    await cluster.stop();
  });

  it('the api says so in time, it and a worker end in time, and what stays goes on when they are back', async () => {
    const settings: HostSettings = { redisUrl: cluster.url, keyPrefix, leaseMs: 6_000 };
    await host.open('leaving', settings);
    const leavingApi = await startTestApi({ REDIS_URL: cluster.url });
    await untilAccepted(leavingApi);
    await untilAccepted(api);
    const first = await observer.queue.enqueue(RunAct, { act: 'return' });
    await untilJob(observer, first.jobId, succeeded);
    const left = await observer.queue.enqueue(RunAct, { act: 'wait', gate: 'never' });
    await host.until(left.jobId, 'started');
    await host.open('staying', settings);
    const kept = await observer.queue.enqueue(RunAct, { act: 'wait', gate: 'open' });
    await host.until(kept.jobId, 'started');

    await Promise.all(cluster.nodes.map((node) => node.kill()));
    await sleep(SOME_BEATS_MS);
    await expectUnavailable(api);
    expect(await msOf(() => host.close('leaving'))).toBeLessThan(WORKER_END_MS);
    expect(await msOf(() => leavingApi.close())).toBeLessThan(API_END_MS);

    await Promise.all(cluster.nodes.map((node) => node.restart()));
    await cluster.untilOk();
    await untilAccepted(api);
    await host.openGate('open');
    await untilJob(observer, kept.jobId, succeeded);
    await host.openGate('never');
    expect(await untilJob(observer, left.jobId, succeeded)).toMatchObject({ crashes: 1 });
  });
});

async function msOf(work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}
