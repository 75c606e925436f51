import type { Settlement } from '../../libs/jobs/src/store/exchange.js';
import { Ear } from '../support/ear.js';
import { withFreshQueue } from '../support/fresh-queue.js';
import type { StoredQueue, JobPlan, StoredWorker } from '../support/stored-queue.js';
import { viewQueue } from '../support/queue-view.js';

const HOUR = 3_600_000;
const ERROR_JSON = '{"name":"Error","code":"error","message":"x"}';
const BURY: Settlement = { event: 'bury', outcome: 'failed', json: ERROR_JSON };

describe('a sweep', () => {
  let queue: StoredQueue;

  withFreshQueue((fresh) => {
    queue = fresh;
  });

  /** Jobs that end in this order, a second apart, each with something in its side hash and its log. */
  const end = async (count: number, settlement: Settlement, plan: JobPlan = {}): Promise<string[]> => {
    const worker = queue.newWorker();
    const ulids: string[] = [];
    for (let i = 0; i < count; i += 1) {
      await queue.moveClock(i * 1_000);
      ulids.push(...(await queue.add([plan])));
      const { claimed } = await worker.exchange({ want: 1 });
      await queue.note(claimed.flatMap((job) => (['log', 'checkpoint'] as const).map((kind) => ({ ...job, kind, json: '1' }))));
      await worker.exchange({ settles: claimed.map((job) => ({ ...job, settlement })) });
    }
    return ulids;
  };

  it('removes jobs of every final status with all that belongs to them, and no other', async () => {
    const ended = [...(await end(1, { event: 'succeed', json: '1' })), ...(await end(1, BURY))];
    const [cancelled = '', waiting = ''] = await queue.add([{}, {}]);
    await queue.cancel([cancelled]);
    const [expired = ''] = await queue.add([{ expiresInMs: 1 }]);
    await queue.moveClock(1_000);
    await queue.promote();
    await queue.moveClock(2 * HOUR);
    expect((await queue.sweep(HOUR, HOUR)).removed).toBe(4);
    const view = await viewQueue(queue, [...ended, cancelled, waiting, expired]);
    expect([[...view.jobs.keys()], view.remains]).toEqual([[waiting], []]);
  });

  it('leaves what is younger than its retention, failed jobs by one of their own', async () => {
    await end(1, { event: 'succeed', json: '1' });
    await end(1, BURY);
    await queue.moveClock(HOUR + 10);
    expect(await queue.sweep(HOUR, 2 * HOUR)).toMatchObject({ removed: 1 });
    expect((await queue.depth()).counts).toMatchObject({ succeeded: 0, failed: 1 });
  });

  it('removes the oldest failed jobs where there are too many, however young', async () => {
    const ulids = await end(5, BURY);
    expect((await queue.sweep(HOUR, HOUR, { maxFailed: 2 })).removed).toBe(3);
    const view = await viewQueue(queue, ulids);
    expect([...view.jobs.keys()].sort()).toEqual(ulids.slice(3));
    expect(view.remains).toEqual([]);
  });

  it('removes no more in a call than it may', async () => {
    await end(5, BURY);
    await queue.moveClock(2 * HOUR);
    expect([
      (await queue.sweep(HOUR, HOUR, { limit: 2 })).removed,
      (await queue.sweep(HOUR, HOUR, { limit: 2, maxFailed: 1 })).removed,
      (await queue.sweep(HOUR, HOUR, { limit: 2 })).removed,
    ]).toEqual([2, 2, 1]);
  });

  it('removes no more in a call than it may of all statuses together', async () => {
    await end(3, { event: 'succeed', json: '1' });
    await end(3, BURY);
    await queue.moveClock(2 * HOUR);
    const removed = [
      (await queue.sweep(HOUR, HOUR, { limit: 4 })).removed,
      (await queue.sweep(HOUR, HOUR, { limit: 4 })).removed,
    ];
    expect(removed).toEqual([4, 2]);
  });

  it('frees the dedupe keys that its jobs held, but for those with a time of their own', async () => {
    const dedupe = (policy: 'ttl' | 'until_result_expires') => ({
      dedupe: { policy, key: policy },
      dedupeTtlMs: policy === 'ttl' ? 3 * HOUR : 0,
    });
    await end(1, { event: 'succeed', json: '1' }, dedupe('until_result_expires'));
    await end(1, { event: 'succeed', json: '1' }, dedupe('ttl'));
    const again = async () =>
      (await queue.enqueue([queue.newJob(dedupe('until_result_expires')), queue.newJob(dedupe('ttl'))])).map(({ kind }) => kind);
    expect(await again()).toEqual(['duplicate', 'duplicate']);
    await queue.moveClock(2 * HOUR);
    await queue.sweep(HOUR, HOUR);
    expect(await again()).toEqual(['accepted', 'duplicate']);
  });

  it('takes entries away that no job stands behind', async () => {
    await queue.redis.zadd(queue.keys.failed, 1, queue.newJob().ulid);
    expect((await queue.sweep(HOUR, HOUR)).removed).toBe(1);
    expect(await queue.redis.exists(queue.keys.failed)).toBe(0);
  });

  describe('of workers that were idle', () => {
    const MINUTE = 60_000;
    const known = () => queue.redis.exists(queue.keys.idle, queue.keys.workers, queue.keys.lanes);
    const sweep = () => queue.sweep(HOUR, HOUR);
    const idle = async (): Promise<StoredWorker> => {
      const worker = queue.newWorker();
      await worker.exchange({ want: 1 });
      await worker.exchange({ want: 1, lane: 1 });
      return worker;
    };

    it.each(['not told of work', 'told of work that nobody heard'])(
      'forgets those not heard of for ten minutes: %s',
      async (how) => {
        await idle();
        if (how !== 'not told of work') {
          const ulids = await queue.add([{}]);
          await queue.cancel(ulids);
          await queue.remove(ulids);
        }
        await queue.moveClock(9 * MINUTE);
        await sweep();
        expect(await known()).toBe(3);
        await queue.moveClock(11 * MINUTE);
        await sweep();
        expect(await known()).toBe(0);
      },
    );

    it('keeps one that said since that it is idle', async () => {
      const worker = await idle();
      await queue.add([{}]);
      await queue.moveClock(9 * MINUTE);
      const { claimed } = await worker.exchange({ want: 2 });
      await queue.moveClock(11 * MINUTE);
      await worker.exchange({ want: 1, settles: claimed.map((job) => ({ ...job, settlement: { event: 'succeed', json: '' } })) });
      await queue.moveClock(20 * MINUTE);
      await sweep();
      expect(await known()).toBe(3);
    });

    it('keeps one that is heard for, whatever the clock says, and wakes it', async () => {
      const worker = await idle();
      const ear = await Ear.of(queue);
      await ear.listenFor(worker);
      await queue.moveClock(HOUR);
      await sweep();
      expect(await known()).toBe(3);
      expect(await ear.drain()).toEqual([queue.keys.wake(worker.number)]);
      ear.close();
    });

    it('keeps one from which jobs are to be taken back', async () => {
      await queue.add([{}]);
      const worker = queue.newWorker();
      expect(await worker.exchange({ want: 2 })).toMatchObject({ idle: true, claimed: [{}] });
      await queue.moveClock(HOUR);
      await sweep();
      expect(await known()).toBe(3);
    });

    it('keeps one of which nobody knows since when it is idle, because it sent a job on', async () => {
      await queue.add([{}]);
      const worker = queue.newWorker();
      const { claimed } = await worker.exchange({ want: 1 });
      await worker.exchange({
        want: 1,
        settles: claimed.map((job) => ({ ...job, settlement: { event: 'hand_back', delayMs: HOUR } })),
      });
      await queue.moveClock(HOUR / 2);
      await sweep();
      expect(await known()).toBe(3);
    });

    const sendsOn = async (): Promise<StoredWorker> => {
      await queue.add([{}]);
      const worker = queue.newWorker();
      const { claimed } = await worker.exchange({ want: 1 });
      const settlement = { event: 'hand_back', delayMs: HOUR } as const;
      await worker.exchange({ want: 1, settles: claimed.map((job) => ({ ...job, settlement })) });
      return worker;
    };
    const wantsNothing = async (): Promise<StoredWorker> => {
      const worker = await idle();
      await queue.redis.zrem(queue.keys.idle, worker.number);
      return worker;
    };

    it.each([
      ['waits to be woken after all others', sendsOn],
      ['does not wait, since it was woken or wants nothing', wantsNothing],
    ])('forgets one that %s ten minutes after nobody was seen to hear for it', async (_how, begin) => {
      await begin();
      await queue.moveClock(HOUR / 2);
      await sweep();
      await queue.moveClock(HOUR / 2 + 9 * MINUTE);
      await sweep();
      expect(await known()).toBe(3);
      await queue.moveClock(HOUR / 2 + 11 * MINUTE);
      await sweep();
      expect(await known()).toBe(0);
    });

    it('has no doubt of one that is heard for, that runs something, or that said a moment ago that it is idle', async () => {
      const heard = await wantsNothing();
      const ear = await Ear.of(queue);
      await ear.listenFor(heard);
      await sweep();
      expect(await queue.redis.exists(queue.keys.idle)).toBe(0);
      ear.close();
      await queue.redis.del(queue.keys.lanes);
      const runs = queue.newWorker();
      await queue.add([{}]);
      await runs.exchange({ want: 1 });
      const waits = queue.newWorker();
      await waits.exchange({ want: 1 });
      await sweep();
      expect(await queue.redis.zrangebyscore(queue.keys.idle, '(0', '+inf')).toEqual([waits.number]);
      expect(await queue.redis.zcard(queue.keys.idle)).toBe(1);
    });

    it('looks at no more than a few in a call whether they are there', async () => {
      for (let i = 0; i < 15; i += 1) await wantsNothing();
      await sweep();
      const doubted = await queue.redis.zcard(queue.keys.idle);
      expect(doubted).toBeGreaterThan(0);
      expect(doubted).toBeLessThanOrEqual(3);
    });

    it('forgets no more than a few in a call', async () => {
      for (let i = 0; i < 15; i += 1) await idle();
      await queue.moveClock(11 * MINUTE);
      await sweep();
      expect(await queue.redis.hlen(queue.keys.workers)).toBe(5);
      await sweep();
      expect(await known()).toBe(0);
    });
  });
});
