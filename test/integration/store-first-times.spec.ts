import type { Settlement } from '../../libs/jobs/src/store/settle.js';
import { Ear } from '../support/ear.js';
import { withFreshQueue } from '../support/fresh-queue.js';
import type { JobPlan, StoredQueue, StoredWorker } from '../support/stored-queue.js';

const HOUR = 3_600_000;

describe('who is told when something is due', () => {
  let queue: StoredQueue;
  let ear: Ear;

  withFreshQueue(async (fresh) => {
    queue = fresh;
    ear = await Ear.of(queue);
  });

  afterEach(() => {
    ear.close();
  });

  const channelOf = (worker: StoredWorker) => queue.keys.wake(worker.number);

  /** A worker that found nothing and listens. */
  const idleWorker = async (): Promise<StoredWorker> => {
    const worker = queue.newWorker();
    expect((await worker.exchange({ want: 1 })).idle).toBe(true);
    await ear.listenFor(worker);
    await queue.nextMillisecond();
    return worker;
  };

  describe('at a submit', () => {
    it('is an idle worker, of a delayed job only when it is the first to become due', async () => {
      const worker = await idleWorker();
      await queue.add([{ when: { delayMs: HOUR } }]);
      expect(await ear.drain()).toEqual([channelOf(worker)]);
      expect((await worker.exchange({ want: 1 })).nextDueInMs).toBeGreaterThan(HOUR - 30_000);
      await queue.add([{ when: { delayMs: 2 * HOUR } }]);
      expect(await ear.drain()).toEqual([]);
      await queue.add([{ when: { delayMs: HOUR / 2 } }]);
      expect(await ear.drain()).toEqual([channelOf(worker)]);
      expect((await worker.exchange({ want: 1 })).nextDueInMs).toBeLessThanOrEqual(HOUR / 2);
    });

    it('is an idle worker, of a deadline only when it is the first', async () => {
      const worker = await idleWorker();
      const later = { when: { delayMs: HOUR } };
      await queue.add([{ ...later, expiresInMs: 4 * HOUR }]);
      await ear.drain();
      expect((await worker.exchange({ want: 1 })).idle).toBe(true);
      await queue.add([{ when: { delayMs: 2 * HOUR }, expiresInMs: 5 * HOUR }]);
      expect(await ear.drain()).toEqual([]);
      await queue.add([{ when: { delayMs: 2 * HOUR }, expiresInMs: 3 * HOUR }]);
      expect(await ear.drain()).toEqual([channelOf(worker)]);
    });

    it('is two workers for a new first time, as nobody would look again in time whether the one came', async () => {
      const [fourth, third, second, first] = [await idleWorker(), await idleWorker(), await idleWorker(), await idleWorker()];
      await queue.add([{ when: { delayMs: HOUR } }]);
      expect(await ear.drain()).toEqual([channelOf(first), channelOf(second)]);
      await queue.add([{ when: { delayMs: HOUR / 2 } }, {}]);
      expect(await ear.drain()).toEqual([channelOf(third), channelOf(fourth)]);
    });

    it('is every worker that is full, as the first may be blocked', async () => {
      const full = [await idleWorker(), await idleWorker()];
      await queue.add([{}, {}]);
      for (const worker of full) await worker.exchange({ want: 1 });
      await ear.drain();
      await queue.add([{ when: { delayMs: HOUR } }]);
      expect((await ear.drain()).sort()).toEqual(full.map(channelOf).sort());
    });

    it.each([
      ['deadline', (ms: number) => ({ expiresInMs: ms })],
      ['time', (ms: number) => ({ when: { delayMs: ms } })],
    ])('is a worker that is full, of a new first %s, when nobody is idle', async (_what, jobWithin) => {
      const [full, gone] = [await idleWorker(), queue.newWorker()];
      await queue.add([{}, {}]);
      for (const worker of [full, gone]) expect((await worker.exchange({ want: 1 })).claimed).toHaveLength(1);
      await ear.drain();
      await queue.add([{}]);
      expect(await ear.drain()).toEqual([]);
      expect(await queue.wakesFor([jobWithin(2 * HOUR)])).toBe(false);
      expect(await ear.drain()).toEqual([channelOf(full)]);
      expect((await full.exchange({ want: 'pass_on' })).nextDueInMs).toBeGreaterThan(HOUR);
      await queue.add([jobWithin(3 * HOUR)]);
      expect(await ear.drain()).toEqual([]);
      await queue.add([jobWithin(HOUR)]);
      expect(await ear.drain()).toEqual([channelOf(full)]);
      // Whoever is idle is told sooner.
      const idle = queue.newWorker();
      expect((await idle.exchange({ want: 9 })).idle).toBe(true);
      await ear.listenFor(idle);
      expect(await queue.wakesFor([jobWithin(HOUR / 2)])).toBe(true);
      expect(await ear.drain()).toEqual([channelOf(idle)]);
    });
  });

  describe('once a run is put off', () => {
    /** Begins a run while nobody else is there; what ends it so that it goes on later. */
    const begin = async (
      plan: JobPlan = {},
    ): Promise<{
      readonly worker: StoredWorker;
      readonly putOff: (settlement: Settlement, want?: number) => ReturnType<StoredWorker['exchange']>;
    }> => {
      await queue.add([plan]);
      const worker = queue.newWorker();
      const [job] = (await worker.exchange({ want: 1 })).claimed;
      if (job === undefined) throw new Error('Nothing was claimed.');
      await ear.listenFor(worker);
      return { worker, putOff: (settlement, want = 1) => worker.exchange({ want, settles: [{ ...job, settlement }] }) };
    };
    const retryIn = (delayMs: number): Settlement => ({ event: 'retry', outcome: 'failed', delayMs, json: '{}' });

    it.each<[string, Settlement]>([
      ['retry', retryIn(HOUR)],
      ['snooze', { event: 'snooze', delayMs: HOUR, json: '{}' }],
      ['job that is sent on', { event: 'hand_back', delayMs: HOUR }],
    ])('is one other worker, which may outlive the one that knows of the %s', async (_what, settlement) => {
      const { putOff } = await begin();
      const [, other] = [await idleWorker(), await idleWorker()];
      expect(await putOff(settlement)).toMatchObject({ idle: true, claimed: [] });
      expect(await ear.drain()).toEqual([channelOf(other)]);
      expect((await other.exchange({ want: 1 })).nextDueInMs).toBeGreaterThan(HOUR - 30_000);
    });

    it('is nobody when something is due before', async () => {
      const runs = [await begin(), await begin(), await begin()];
      await idleWorker();
      await idleWorker();
      const heard: number[] = [];
      for (const [index, run] of runs.entries()) {
        await run.putOff(retryIn(([2, 3, 1][index] ?? 0) * HOUR));
        heard.push((await ear.drain()).length);
      }
      expect(heard).toEqual([1, 0, 1]);
    });

    it('is nobody when it is not put off after all', async () => {
      const { putOff } = await begin({ maxAttempts: 1 });
      await idleWorker();
      expect((await putOff(retryIn(HOUR))).settled).toEqual(['failed']);
      expect(await ear.drain()).toEqual([]);
    });

    it('is not the worker itself, which waits to be woken as before', async () => {
      const { worker, putOff } = await begin();
      await worker.exchange({ want: 1 });
      const since = await queue.redis.zscore(queue.keys.idle, worker.number);
      expect(since).not.toBeNull();
      await putOff(retryIn(HOUR), 0);
      expect(await ear.drain()).toEqual([]);
      expect(await queue.redis.zscore(queue.keys.idle, worker.number)).toBe(since);
    });
  });

  describe('once a worker leaves', () => {
    it('is one of the others, which may know of nothing', async () => {
      const other = await idleWorker();
      const [full, leaves] = [await idleWorker(), await idleWorker()];
      await queue.add([{ when: { delayMs: HOUR } }]);
      expect(await ear.drain()).toEqual([channelOf(leaves), channelOf(full)]);
      for (const worker of [full, leaves]) await worker.exchange({ want: 'pass_on' });
      expect(await ear.drain()).toEqual([]);
      await leaves.exchange({ want: 'leave' });
      expect(await ear.drain()).toEqual([channelOf(other)]);
    });

    it('is nobody when nothing waits', async () => {
      await idleWorker();
      await (await idleWorker()).exchange({ want: 'leave' });
      expect(await ear.drain()).toEqual([]);
    });
  });
});
