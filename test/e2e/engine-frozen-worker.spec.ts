import { RunAct, type Act } from '../fixtures/engine/act.js';
import { EngineHost, type HostSettings } from '../fixtures/engine/engine-host.js';
import { eventually } from '../support/eventually.js';
import { startJobsApp, type JobsApp } from '../support/jobs-app.js';
import { REDIS_URL, newKeyPrefix } from '../support/shared-redis.js';
import { succeeded, untilJob } from '../support/until-job.js';

jest.setTimeout(90_000);

/** Processes for the tests' workers; each test has workers of its own in them, by the name of its key prefix. */
let hosts: readonly [EngineHost, EngineHost, EngineHost];
let keyPrefix: string;
let settings: HostSettings;
let observer: JobsApp;

beforeAll(async () => {
  hosts = await Promise.all([EngineHost.start(), EngineHost.start(), EngineHost.start()]);
});

beforeEach(async () => {
  keyPrefix = newKeyPrefix();
  settings = { redisUrl: REDIS_URL, keyPrefix, types: [RunAct.type], leaseMs: 2_000 };
  observer = await startJobsApp([RunAct], [], { ...settings, types: ['!*'] });
});

afterEach(async () => {
  for (const host of hosts) host.thaw();
  await observer.close();
});

afterAll(async () => {
  await Promise.all(hosts.map((host) => host.kill()));
});

describe('an idle worker whose process stands still', () => {
  /** Each waits to be woken, and hears; the last is the latest. */
  const open = async (...inOrder: readonly EngineHost[]): Promise<void> => {
    const { redis } = observer.link;
    const keys = observer.link.keys(RunAct.type);
    const seen: string[] = [];
    for (const host of inOrder) {
      await host.open(keyPrefix, settings);
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
    frozen.freeze();
    const { jobId } = await observer.queue.enqueue(RunAct, { act: 'return' });
    const { createdAt, startedAt } = await untilJob(observer, jobId, succeeded);
    expect((startedAt?.getTime() ?? Infinity) - createdAt.getTime()).toBeLessThan(1_000);
    expect(living.toldOf(jobId, 'started')).toHaveLength(1);
  });

  it('holds up no job for long either when the process that woke it is blocked since', async () => {
    const [living, frozen, blocked] = hosts;
    await open(living, frozen, blocked);
    frozen.freeze();
    const acts: Act[] = [{ act: 'block', ms: 6_000 }, { act: 'return' }];
    const [blocker = '', jobId = ''] = await blocked.submit(
      keyPrefix,
      RunAct.type,
      acts.map((payload) => ({ payload })),
    );
    await untilJob(observer, jobId, succeeded);
    expect(blocked.toldOf(blocker, 'ended')).toEqual([]);
    expect(living.toldOf(jobId, 'started')).toHaveLength(1);
  });
});

describe('a worker that stands still for longer than its lease, and goes on', () => {
  it('is told to stop with the reason, and changes nothing by what it says of its job: progress, log, checkpoint, step and end', async () => {
    const [frozen, other] = hosts;
    await frozen.open(keyPrefix, settings);
    const { jobId } = await observer.queue.enqueue(RunAct, { act: 'stay', gate: 'open' });
    await frozen.until(jobId, 'started');
    frozen.freeze();
    await other.open(keyPrefix, settings);
    await other.until(jobId, 'started');
    frozen.thaw();
    expect(await frozen.until(jobId, 'stopped')).toMatchObject({ reason: 'lease_lost' });
    expect(await frozen.until(jobId, 'refused')).toMatchObject({ codes: ['lease_lost', 'lease_lost'] });
    await frozen.until(jobId, 'ended');
    // It settles what it had, and gets no more work, before it is gone.
    await frozen.close(keyPrefix);
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
  });
});
