import { dedupeHolder } from '../../libs/jobs/src/store/dedupe-holder.js';
import type { Settlement } from '../../libs/jobs/src/store/settle.js';
import { withFreshQueue } from '../support/fresh-queue.js';
import { LEASE_MS, type StoredQueue, type StoredWorker } from '../support/stored-queue.js';

const HOUR = 3_600_000;
const ERROR_JSON = '{"name":"Error","code":"error","message":"x"}';

describe('a deadline', () => {
  let queue: StoredQueue;
  let worker: StoredWorker;

  withFreshQueue((fresh) => {
    queue = fresh;
    worker = queue.newWorker();
  });

  const statusOf = async (ulid: string): Promise<string> => (await queue.read(ulid)).record.status;

  it('ends a job that waits in its line, or for its time, once it is over', async () => {
    const [queued = '', scheduled = '', without = ''] = await queue.add([
      { expiresInMs: HOUR },
      { expiresInMs: HOUR, when: { delayMs: HOUR - 1 } },
      {},
    ]);
    await queue.moveClock(HOUR - 1_000);
    expect((await queue.promote()).moved).toEqual([]);
    await queue.moveClock(HOUR + 1_000);
    const { moved } = await queue.promote();
    expect(moved.map(({ ulid, record }) => [ulid, record.status])).toEqual([
      [queued, 'expired'],
      [scheduled, 'expired'],
    ]);
    expect(await statusOf(without)).toBe('queued');
    expect((await worker.exchange({ want: 9 })).claimed.map(({ ulid }) => ulid)).toEqual([without]);
    expect(await queue.redis.exists(queue.keys.ghosts, queue.keys.expiring)).toBe(0);
  });

  it('that is over keeps a job from being claimed, also before anybody has ended it', async () => {
    const [late = '', other] = await queue.add([{ expiresInMs: HOUR }, {}]);
    await queue.moveClock(HOUR + 1);
    expect((await worker.exchange({ want: 9 })).claimed.map(({ ulid }) => ulid)).toEqual([other]);
    expect(await statusOf(late)).toBe('expired');
  });

  it.each<Settlement>([
    { event: 'retry', outcome: 'failed', delayMs: HOUR, json: ERROR_JSON },
    { event: 'snooze', delayMs: HOUR, json: ERROR_JSON },
    { event: 'hand_back', delayMs: 0 },
  ])('does not end a run, and counts again while the job waits for the next one: $event', async (settlement) => {
    const [ulid = ''] = await queue.add([{ expiresInMs: HOUR }]);
    const { claimed } = await worker.exchange({ want: 1 });
    await queue.moveClock(HOUR + 1);
    expect((await queue.promote()).moved).toEqual([]);
    expect(await statusOf(ulid)).toBe('processing');
    await worker.exchange({ settles: claimed.map((job) => ({ ...job, settlement })) });
    expect((await queue.promote()).moved.map(({ record }) => record.status)).toEqual(['expired']);
  });

  it('does not end a run, also where its entry was left behind', async () => {
    const [ulid = ''] = await queue.add([{ expiresInMs: HOUR }]);
    await worker.exchange({ want: 1 });
    // As if a half-done failover had left it.
    await queue.redis.zadd(queue.keys.expiring, 1, ulid);
    expect((await queue.promote()).moved).toEqual([]);
    expect(await statusOf(ulid)).toBe('processing');
    expect(await queue.redis.exists(queue.keys.expiring)).toBe(0);
  });

  it('counts again for a job whose worker crashed', async () => {
    const [ulid = ''] = await queue.add([{ expiresInMs: HOUR }]);
    await worker.exchange({ want: 1 });
    await queue.moveClock(HOUR + LEASE_MS);
    await queue.reap();
    expect(await statusOf(ulid)).toBe('queued');
    await queue.promote();
    expect(await statusOf(ulid)).toBe('expired');
  });

  it.each([
    ['ttl', true],
    ['until_started', false],
    ['until_finished', false],
    ['until_result_expires', false],
  ] as const)('that ends a job leaves a dedupe key of the policy %s held: %s', async (policy, held) => {
    const [ulid] = await queue.add([
      { expiresInMs: HOUR, dedupe: { policy, key: 'k' }, dedupeTtlMs: policy === 'ttl' ? 2 * HOUR : 0 },
    ]);
    await queue.moveClock(HOUR + 1);
    await queue.promote();
    expect(await dedupeHolder(queue.link, queue.type, 'k')).toBe(held ? ulid : undefined);
  });

  it('before the job is to run is refused', async () => {
    const job = queue.newJob({ when: { delayMs: HOUR }, expiresInMs: HOUR });
    expect(await queue.enqueue([job])).toEqual([{ kind: 'expires_before_run' }]);
    expect(await queue.find(job.ulid)).toBeUndefined();
  });
});
