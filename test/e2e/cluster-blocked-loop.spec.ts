import { RunAct } from '../fixtures/engine/act.js';
import { EngineHost } from '../fixtures/engine/engine-host.js';
import { startJobsApp, type JobsApp } from '../support/jobs-app.js';
import { newKeyPrefix } from '../support/shared-redis.js';
import { IN_PARTS, TestCluster } from '../support/test-cluster.js';
import { untilJob } from '../support/until-job.js';

jest.setTimeout(90_000);

describe('a handler that blocks the event loop while another node of the Cluster is away', () => {
  let cluster: TestCluster;
  let observer: JobsApp;
  let host: EngineHost;

  beforeAll(async () => {
    cluster = await TestCluster.start(IN_PARTS);
    const settings = { redisUrl: cluster.url, keyPrefix: newKeyPrefix(), leaseMs: 2_000 };
    observer = await startJobsApp([RunAct], [], { ...settings, types: ['!*'] });
    host = await EngineHost.start();
    await host.open('worker', settings);
  });

  afterAll(async () => {
    await Promise.all([host.kill(), observer.close()]);
    await cluster.stop();
  });

  it('is settled as timed out past its hard limit all the same', async () => {
    const ofPresence = await cluster.ownerOf(await cluster.slotOf(observer.link.presence.key));
    expect(ofPresence).not.toBe(await cluster.ownerOf(await cluster.slotOf(observer.link.keys(RunAct.type).clock)));
    const { jobId } = await observer.queue.enqueue(RunAct, { act: 'block', ms: 30_000 }, { timeoutMs: 500 });
    await host.until(jobId, 'started');
    await ofPresence.kill();
    expect(await untilJob(observer, jobId, ({ status }) => status === 'retrying')).toMatchObject({
      runs: [{ outcome: 'timed_out' }],
    });
    expect(host.toldOf(jobId, 'unblocked')).toEqual([]);
    await ofPresence.restart();
  });
});
