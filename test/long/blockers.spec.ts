import type { Job } from '@antrean/jobs';
import { RunAct } from '../fixtures/engine/act.js';
import { EngineHost } from '../fixtures/engine/engine-host.js';
import { REDIS_URL, newKeyPrefix, startJobsApp, type JobsApp } from '../support/jobs-app.js';
import { untilJob } from '../support/until-job.js';

jest.setTimeout(180_000);

const ended = ({ status }: Job): boolean => status === 'succeeded' || status === 'failed';

describe('a job with little time beside one that has much', () => {
  const settings = { redisUrl: REDIS_URL, keyPrefix: newKeyPrefix(), leaseMs: 2_000, concurrency: { [RunAct.type]: 20 } };
  let host: EngineHost;
  let observer: JobsApp;

  beforeAll(async () => {
    host = await EngineHost.start();
    observer = await startJobsApp([RunAct], [], { keyPrefix: settings.keyPrefix, types: ['!*'] });
    await host.open('worker', settings);
  });

  afterAll(async () => {
    await Promise.all([host.kill(), observer.close()]);
  });

  it('is buried for blocking the event loop itself, sooner or later', async () => {
    const { jobId: waiting } = await observer.queue.enqueue(RunAct, { act: 'wait', gate: 'never' }, { timeoutMs: 600_000 });
    await host.until(waiting, 'started');
    const options = { timeoutMs: 600, maxAttempts: 1 };
    const { jobId: blocker } = await observer.queue.enqueue(RunAct, { act: 'clog', ms: 2_500 }, options);
    const { status, error, crashes } = await untilJob(observer, blocker, ended, 120_000);
    expect({ status, code: error?.code, crashes }).toEqual({ status: 'failed', code: 'poison', crashes: 10 });
  });
});
