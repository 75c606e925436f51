import { RunAct } from '../fixtures/engine/act.js';
import { EngineHost } from '../fixtures/engine/engine-host.js';
import { hasRun, openCrowdedWorkers } from '../support/crowded-workers.js';
import type { JobsApp } from '../support/jobs-app.js';
import { untilJob } from '../support/until-job.js';

jest.setTimeout(180_000);

describe('a job with little time beside one that has much', () => {
  let host: EngineHost;
  let observer: JobsApp;

  beforeAll(async () => {
    host = await EngineHost.start();
    observer = await openCrowdedWorkers(host);
  });

  afterAll(async () => {
    await Promise.all([host.kill(), observer.close()]);
  });

  it('is buried for blocking the event loop itself, sooner or later', async () => {
    const { jobId: waiting } = await observer.queue.enqueue(RunAct, { act: 'wait', gate: 'never' }, { timeoutMs: 600_000 });
    await host.until(waiting, 'started');
    const options = { timeoutMs: 600, maxAttempts: 1 };
    const { jobId: blocker } = await observer.queue.enqueue(RunAct, { act: 'clog', ms: 2_500 }, options);
    const { status, error, crashes } = await untilJob(observer, blocker, hasRun, 120_000);
    expect({ status, code: error?.code, crashes }).toEqual({ status: 'failed', code: 'poison', crashes: 11 });
  });
});
