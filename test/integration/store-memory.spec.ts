import { closeRedis } from '@antrean/platform';
import { QueueUnavailableError } from '@antrean/jobs';
import { available } from '../../libs/jobs/src/store/availability.js';
import { dedupeHolder } from '../../libs/jobs/src/store/dedupe-holder.js';
import type { Claimed, Settlement } from '../../libs/jobs/src/store/exchange.js';
import { heartbeat } from '../../libs/jobs/src/store/heartbeat.js';
import { LEASE_MS, StoredQueue } from '../support/stored-queue.js';
import { TestRedis } from '../support/test-redis.js';

const PER_CALL = 10;
const PAYLOAD = JSON.stringify({ text: 'x'.repeat(32_768) });
const ERROR_JSON = '{"name":"Error","code":"error","message":"x"}';

describe('with a Redis that is out of memory', () => {
  let server: TestRedis;
  let queue: StoredQueue;
  /** Accepted before the memory was used up, in the order of their submits. */
  let accepted: string[];

  beforeAll(async () => {
    server = await TestRedis.start(['--maxmemory', '12mb']);
    queue = await StoredQueue.open(server.url);
    accepted = await fillUp();
    await limitMemory();
  });

  afterAll(async () => {
    closeRedis(queue.redis);
    await server.stop();
  });

  /** What is used stays well above it, whatever buffers come and go. */
  const limitMemory = () => queue.redis.config('SET', 'maxmemory', '8mb');

  const moveClock = async (ms: number): Promise<void> => {
    await queue.redis.config('SET', 'maxmemory', '0');
    await queue.moveClock(ms);
    await limitMemory();
  };

  const newJobs = (count = PER_CALL) =>
    Array.from({ length: count }, (_, index) =>
      queue.newJob({
        payloadJson: PAYLOAD,
        dedupe: { policy: 'until_finished', key: `key ${index} ${Math.random()}` },
        when: index % 3 === 0 ? { delayMs: 1_000 } : undefined,
        priority: index % 10,
      }),
    );

  const fillUp = async (): Promise<string[]> => {
    const ulids: string[] = [];
    for (;;) {
      const jobs = newJobs();
      try {
        await queue.enqueue(jobs);
      } catch (error) {
        if (!(error instanceof Error) || !error.message.startsWith('OOM')) throw error;
        return ulids;
      }
      ulids.push(...jobs.map(({ ulid }) => ulid));
      if (ulids.length > 10_000) throw new Error('The memory does not run out.');
    }
  };

  /** Every key with its content. */
  const everything = async (): Promise<Map<string, string>> => {
    const keys = await queue.redis.keys('*');
    const dumps = await Promise.all(keys.toSorted().map(async (key) => [key, await queue.redis.dumpBuffer(key)] as const));
    return new Map(dumps.map(([key, dump]) => [key, dump.toString('latin1')]));
  };

  const settle = (jobs: readonly Claimed[], settlement: Settlement) =>
    jobs.map(({ ulid, token }) => ({ ulid, token, settlement }));

  it('an enqueue is refused as a whole, and nothing is written', async () => {
    expect(accepted.length).toBeGreaterThan(100);
    const before = await everything();
    for (const count of [1, PER_CALL]) await expect(queue.enqueue(newJobs(count))).rejects.toThrow(/^OOM /);
    expect(await everything()).toEqual(before);
    expect(Object.values((await queue.depth()).counts).reduce((sum, count) => sum + count)).toBe(accepted.length);
  });

  it('an enqueue tells its caller that nothing was written', async () => {
    const refused = available(queue.link, () => queue.enqueue(newJobs(1)));
    await expect(refused).rejects.toThrow(QueueUnavailableError);
    await expect(refused).rejects.toMatchObject({ outcome: 'not_written' });
  });

  it('jobs can be looked at and counted', async () => {
    const [ulid = ''] = accepted;
    const { record } = await queue.read(ulid);
    expect(record.payloadJson).toBe(PAYLOAD);
    expect(await dedupeHolder(queue.link, queue.type, record.dedupeKey ?? '')).toBe(ulid);
  });

  it('jobs are claimed, settled in every way, promoted, reaped and kept under a lease', async () => {
    const worker = queue.newWorker();
    const claimed: Claimed[] = [];
    while (claimed.length < 50) claimed.push(...(await worker.exchange({ want: 50 - claimed.length })).claimed);
    expect((await heartbeat(queue.link, queue.type, worker.identity.number, LEASE_MS)).held).toBe(50);
    const settles = [
      ...settle(claimed.slice(0, 10), { event: 'succeed', json: JSON.stringify('r'.repeat(10_000)) }),
      ...settle(claimed.slice(10, 20), { event: 'retry', outcome: 'failed', delayMs: 1_000, json: ERROR_JSON }),
      ...settle(claimed.slice(20, 30), { event: 'bury', outcome: 'failed', json: ERROR_JSON }),
      ...settle(claimed.slice(30, 35), { event: 'snooze', delayMs: 1_000, json: ERROR_JSON }),
      ...settle(claimed.slice(35, 40), { event: 'hand_back', delayMs: 0 }),
    ];
    const { settled } = await worker.exchange({ settles });
    expect(settled.filter((status) => ['stale', 'unknown'].includes(status))).toEqual([]);
    const before = await queue.depth();
    expect(before.counts).toMatchObject({ processing: 10, succeeded: 10, retrying: 10, failed: 10 });
    await moveClock(LEASE_MS + 1);
    expect((await queue.reap()).jobs).toHaveLength(10);
    const { moved } = await queue.promote(before.counts.scheduled + 10);
    expect(moved).toHaveLength(before.counts.scheduled + 10);
    const after = await queue.depth();
    expect(after.counts).toMatchObject({ processing: 0, scheduled: 0, retrying: 0, succeeded: 10, failed: 10 });
    expect(after.counts.queued).toBe(accepted.length - 20);
    await expect(queue.enqueue(newJobs(1))).rejects.toThrow(/^OOM /);
  });

  it('a job that failed runs again when it is replayed', async () => {
    const [failed = ''] = await queue.redis.zrange(queue.keys.failed, '0', '0');
    await expect(queue.enqueue(newJobs(1))).rejects.toThrow(/^OOM /);
    expect(await queue.replay(failed)).toMatchObject({ kind: 'replayed' });
  });

  it('scripts that Redis has forgotten are learnt again', async () => {
    await queue.redis.script('FLUSH');
    const { claimed } = await queue.newWorker().exchange({ want: 1 });
    expect(claimed).toHaveLength(1);
    await queue.redis.script('FLUSH');
    await expect(queue.enqueue(newJobs(1))).rejects.toThrow(/^OOM /);
  });

  it('there is room again for new jobs once old ones were swept', async () => {
    const worker = queue.newWorker();
    for (let jobs: readonly Claimed[] = []; ;) {
      const settles = settle(jobs, { event: 'succeed', json: '' });
      jobs = (await worker.exchange({ want: 20, keepFinished: false, settles })).claimed;
      if (jobs.length === 0) break;
    }
    expect((await queue.sweep(0, 0)).removed).toBe(19);
    expect((await queue.enqueue(newJobs(1))).map(({ kind }) => kind)).toEqual(['accepted']);
  });
});
