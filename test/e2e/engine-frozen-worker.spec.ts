import { RunAct } from '../fixtures/engine/act.js';
import { EngineHost } from '../fixtures/engine/engine-host.js';
import { eventually } from '../support/eventually.js';
import { REDIS_URL, newKeyPrefix, startJobsApp, type JobsApp } from '../support/jobs-app.js';
import { succeeded, untilJob } from '../support/until-job.js';

jest.setTimeout(90_000);

describe('an idle worker whose process stands still', () => {
  const settings = { redisUrl: REDIS_URL, keyPrefix: newKeyPrefix(), types: [RunAct.type] };
  let hosts: EngineHost[];
  let observer: JobsApp;

  beforeAll(async () => {
    hosts = await Promise.all([EngineHost.start(), EngineHost.start()]);
    observer = await startJobsApp([RunAct], [], { ...settings, types: ['!*'] });
  });

  afterAll(async () => {
    await Promise.all([...hosts.map((host) => host.kill()), observer.close()]);
  });

  it('holds up the job that it is woken for only until the next worker is woken', async () => {
    const { redis } = observer.link;
    const keys = observer.link.keys(RunAct.type);
    const seen: string[] = [];
    for (const host of hosts) {
      await host.open('worker', settings);
      // It waits to be woken, and hears.
      await eventually(async () => {
        const [latest = ''] = await redis.zrevrange(keys.idle, 0, 0);
        expect(seen).not.toContain(latest);
        expect(await redis.call('PUBSUB', 'SHARDNUMSUB', keys.wake(latest))).toEqual([keys.wake(latest), 1]);
        seen.push(latest);
      });
    }
    const [living, frozen] = hosts;
    frozen?.freeze();
    const { jobId } = await observer.queue.enqueue(RunAct, { act: 'return' });
    const { createdAt, startedAt } = await untilJob(observer, jobId, succeeded);
    expect((startedAt?.getTime() ?? Infinity) - createdAt.getTime()).toBeLessThan(1_000);
    expect(living?.toldOf(jobId, 'started')).toHaveLength(1);
  });
});
