import { closeRedis } from '@antrean/platform';
import { storedWebhook } from '../../libs/jobs/src/store/record.js';
import { StoredQueue, type JobPlan, type StoredWorker } from '../support/stored-queue.js';
import { viewQueue } from '../support/queue-view.js';
import { TestRedis } from '../support/test-redis.js';

/** Rights are for the whole server, so this file has one of its own. */
describe('a call that may not do all that it has to', () => {
  let server: TestRedis;
  let queue: StoredQueue;
  let worker: StoredWorker;

  beforeAll(async () => {
    server = await TestRedis.start();
    queue = await StoredQueue.open(server.url);
    const all = ['+@all', 'allchannels', 'nopass', 'on'];
    await queue.redis.call('ACL', 'SETUSER', 'logless', ...all, '~*}:[^l]*', '~*}:lanes', '~*}:leases');
  });

  beforeEach(() => {
    queue = queue.another();
    worker = queue.newWorker();
  });

  afterAll(async () => {
    closeRedis(queue.redis);
    await server.stop();
  });

  /** A running job with a log, and what hands it back. */
  const runOne = async (plan: JobPlan = {}) => {
    const [ulid = ''] = await queue.add([plan]);
    const [job] = (await worker.exchange({ want: 1 })).claimed;
    if (job === undefined) throw new Error('Nothing was claimed.');
    await queue.note([{ ulid, token: job.token, kind: 'log', json: '{}' }]);
    return {
      ulid,
      settle: () => worker.exchange({ keepFinished: false, settles: [{ ...job, settlement: { event: 'succeed', json: '' } }] }),
      handBack: () => worker.exchange({ settles: [{ ...job, settlement: { event: 'hand_back', delayMs: 0 } }] }),
    };
  };
  /** The call fails, and leaves all as it was. */
  const failsWhole = async (ulid: string, call: () => Promise<unknown>) => {
    const before = await viewQueue(queue, [ulid]);
    expect(before.jobs.get(ulid)?.log).toHaveLength(1);
    await queue.redis.call('AUTH', 'logless', 'any');
    await expect(call()).rejects.toThrow(/can't access/);
    await queue.redis.call('AUTH', 'default', 'any');
    expect(await viewQueue(queue, [ulid])).toEqual(before);
    await call();
    expect(await queue.find(ulid)).toBeUndefined();
    expect((await viewQueue(queue, [ulid])).remains).toEqual([]);
  };

  it('settles nothing whose end could not be told', async () => {
    await queue.redis.call('ACL', 'SETUSER', 'eventless', '+@all', 'allchannels', 'nopass', 'on', '~*}:[^o]*', '~*}:once*');
    const { ulid, settle } = await runOne({
      facts: { webhook: storedWebhook({ url: 'https://example.com/', secretName: 'default' }) },
    });
    const before = await viewQueue(queue, [ulid]);
    await queue.redis.call('AUTH', 'eventless', 'any');
    await expect(settle()).rejects.toThrow(/can't access/);
    await queue.redis.call('AUTH', 'default', 'any');
    expect(await viewQueue(queue, [ulid])).toEqual(before);
    await settle();
    expect((await viewQueue(queue, [ulid])).outgoing).toHaveLength(1);
  });

  it('takes no job for one without a record because it may not read it', async () => {
    const all = ['+@all', '-getrange', 'allkeys', 'allchannels', 'nopass', 'on'];
    await queue.redis.call('ACL', 'SETUSER', 'blind', ...all);
    const [ulid = ''] = await queue.add([{ when: { delayMs: 1_000 } }]);
    await queue.moveClock(2_000);
    await queue.redis.call('AUTH', 'blind', 'any');
    await expect(queue.promote()).rejects.toThrow(/can't run this command/);
    await queue.redis.call('AUTH', 'default', 'any');
    expect((await queue.promote()).moved.map((job) => job.ulid)).toEqual([ulid]);
  });

  it('settles nothing', async () => {
    const { ulid, settle } = await runOne();
    await failsWhole(ulid, settle);
  });

  it('lets no job expire as it claims', async () => {
    const { ulid, handBack } = await runOne({ expiresInMs: 1_000 });
    await handBack();
    await queue.moveClock(2_000);
    await failsWhole(ulid, () => worker.exchange({ want: 1, keepFinished: false }));
  });

  it('lets no job expire in its line', async () => {
    const { ulid, handBack } = await runOne({ expiresInMs: 1_000 });
    await handBack();
    await queue.moveClock(2_000);
    await failsWhole(ulid, () => queue.promote(10, false));
  });

  it('takes nothing from a blocked worker', async () => {
    const { ulid } = await runOne({ timeoutMs: 1_000 });
    await queue.moveClock(7_000);
    await failsWhole(ulid, () => queue.crashOverdue(worker, { maxCrashes: 1, keepFailed: false }));
  });

  it('reaps nothing', async () => {
    const { ulid } = await runOne();
    await queue.moveClock(31_000);
    await failsWhole(ulid, () => queue.reap({ maxCrashes: 1, keepFailed: false }));
  });
});
