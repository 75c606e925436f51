import { RunAct, type Act } from '../fixtures/engine/act.js';
import { EngineHost } from '../fixtures/engine/engine-host.js';
import { eventually } from '../support/eventually.js';
import { REDIS_URL, newKeyPrefix, startJobsApp, type JobsApp } from '../support/jobs-app.js';
import { succeeded, untilJob } from '../support/until-job.js';

jest.setTimeout(90_000);

describe('an idle worker whose process stands still', () => {
  const settings = { redisUrl: REDIS_URL, types: [RunAct.type], leaseMs: 2_000 };
  let hosts: EngineHost[];
  let observer: JobsApp;

  beforeEach(async () => {
    const keyPrefix = newKeyPrefix();
    hosts = await Promise.all([EngineHost.start(), EngineHost.start(), EngineHost.start()]);
    observer = await startJobsApp([RunAct], [], { ...settings, keyPrefix, types: ['!*'] });
  });

  afterEach(async () => {
    await Promise.all([...hosts.map((host) => host.kill()), observer.close()]);
  });

  /** Each waits to be woken, and hears; the last is the latest. */
  const open = async (...inOrder: readonly (EngineHost | undefined)[]): Promise<void> => {
    const { redis, keyPrefix } = observer.link;
    const keys = observer.link.keys(RunAct.type);
    const seen: string[] = [];
    for (const host of inOrder) {
      await host?.open('worker', { ...settings, keyPrefix });
      await eventually(async () => {
        const [latest = ''] = await redis.zrevrange(keys.idle, 0, 0);
        expect(seen).not.toContain(latest);
        expect(await redis.call('PUBSUB', 'SHARDNUMSUB', keys.wake(latest))).toEqual([keys.wake(latest), 1]);
        seen.push(latest);
      });
    }
  };

  it('holds up the job that it is woken for only until the next worker is woken', async () => {
    const [living, frozen] = hosts;
    await open(living, frozen);
    frozen?.freeze();
    const { jobId } = await observer.queue.enqueue(RunAct, { act: 'return' });
    const { createdAt, startedAt } = await untilJob(observer, jobId, succeeded);
    expect((startedAt?.getTime() ?? Infinity) - createdAt.getTime()).toBeLessThan(1_000);
    expect(living?.toldOf(jobId, 'started')).toHaveLength(1);
  });

  it('holds up no job for long either when the process that woke it is blocked since', async () => {
    const [living, frozen, blocked] = hosts;
    await open(living, frozen, blocked);
    frozen?.freeze();
    const acts: Act[] = [{ act: 'block', ms: 6_000 }, { act: 'return' }];
    const submitted = await blocked?.submit(
      'worker',
      RunAct.type,
      acts.map((payload) => ({ payload })),
    );
    const [blocker = '', jobId = ''] = submitted ?? [];
    await untilJob(observer, jobId, succeeded);
    expect(blocked?.toldOf(blocker, 'ended')).toEqual([]);
    expect(living?.toldOf(jobId, 'started')).toHaveLength(1);
  });
});

describe('a worker that stands still for longer than its lease, and goes on', () => {
  it('is told to stop with the reason, and changes nothing by what it says of its job: progress, log, checkpoint, step and end', async () => {
    const settings = { redisUrl: REDIS_URL, keyPrefix: newKeyPrefix(), types: [RunAct.type], leaseMs: 2_000 };
    const [frozen, other] = await Promise.all([EngineHost.start(), EngineHost.start()]);
    const observer = await startJobsApp([RunAct], [], { ...settings, types: ['!*'] });
    try {
      await frozen.open('worker', settings);
      const { jobId } = await observer.queue.enqueue(RunAct, { act: 'stay', gate: 'open' });
      await frozen.until(jobId, 'started');
      frozen.freeze();
      await other.open('worker', settings);
      await other.until(jobId, 'started');
      frozen.thaw();
      expect(await frozen.until(jobId, 'stopped')).toMatchObject({ reason: 'lease_lost' });
      expect(await frozen.until(jobId, 'refused')).toMatchObject({ codes: ['lease_lost', 'lease_lost'] });
      await frozen.until(jobId, 'ended');
      // It settles what it had, and gets no more work, before it is gone.
      await frozen.close('worker');
      await other.openGate('open');
      const job = await untilJob(observer, jobId, succeeded);
      expect(job).toMatchObject({
        result: 'stayed',
        attempt: 1,
        crashes: 1,
        progress: null,
        runs: [{ outcome: 'crashed' }, { outcome: 'succeeded' }],
      });
      expect(await observer.status.logs(jobId)).toEqual([]);
      expect(other.toldOf(jobId, 'started')).toHaveLength(1);
    } finally {
      await Promise.all([frozen.kill(), other.kill(), observer.close()]);
    }
  });
});
