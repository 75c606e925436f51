import type { Settlement } from '../../libs/jobs/src/store/exchange.js';
import { withFreshQueue } from '../support/fresh-queue.js';
import { LEASE_MS, type StoredQueue, type StoredWorker } from '../support/stored-queue.js';

const ERROR_JSON = '{"name":"Error","code":"error","message":"x"}';
const MAX_CRASHES = 2;

describe('a job that is one crash short of its burial', () => {
  let queue: StoredQueue;
  let worker: StoredWorker;

  withFreshQueue((fresh) => {
    queue = fresh;
    worker = queue.newWorker();
  });

  /** Lets a worker die under all jobs there are. */
  const crash = async (plan: { readonly version?: number } = {}): Promise<void> => {
    const lost = queue.newWorker();
    let claimed;
    do ({ claimed } = await lost.exchange({ want: 9, ...plan }));
    while (claimed.length > 0);
    await queue.moveClock((await offsetMs()) + LEASE_MS + 1);
    await queue.reap({ maxCrashes: MAX_CRASHES });
  };
  const offsetMs = async (): Promise<number> => Number((await queue.redis.get(queue.keys.clock)) ?? 0);
  const claim = async (plan: Parameters<StoredWorker['exchange']>[0] = {}): Promise<string[]> =>
    (await worker.exchange({ want: 9, ...plan })).claimed.map(({ ulid }) => ulid);
  const endAll = async (settlement: Settlement): Promise<void> => {
    const by = queue.newWorker();
    for (;;) {
      const { claimed } = await by.exchange({ want: 9 });
      if (claimed.length === 0) return;
      await by.exchange({ settles: claimed.map((job) => ({ ...job, settlement })) });
      if (settlement.event === 'hand_back' && settlement.delayMs === 0) return;
    }
  };

  it('is given one a call, ahead of all others, and only to a worker that may have one', async () => {
    const [first, second] = await queue.add([{}, { priority: 0 }]);
    await crash();
    const [fresh] = await queue.add([{ priority: 9 }]);
    expect(await claim({ suspects: false })).toEqual([fresh]);
    expect(await claim()).toEqual([first]);
    expect(await claim()).toEqual([second]);
  });

  it.each<Settlement>([
    { event: 'hand_back', delayMs: 0 },
    { event: 'hand_back', delayMs: 1_000 },
  ])('is no less one after a run that was handed back: $delayMs', async (settlement) => {
    const ulids = await queue.add([{}, {}]);
    await crash();
    await endAll(settlement);
    await queue.moveClock((await offsetMs()) + 2_000);
    await queue.promote();
    expect(await claim({ suspects: false })).toEqual([]);
    expect([...(await claim()), ...(await claim())].toSorted()).toEqual(ulids.toSorted());
  });

  const FAILED = { event: 'retry', outcome: 'failed', delayMs: 0, json: ERROR_JSON } as const;

  it.each<Settlement>([FAILED, { ...FAILED, outcome: 'timed_out' }, { event: 'snooze', delayMs: 0, json: ERROR_JSON }])(
    'is a job like others again after a run that ended by itself: $event, $outcome',
    async (settlement) => {
      const ulids = await queue.add([{}, {}]);
      await crash();
      await endAll(settlement);
      await queue.promote();
      expect(await claim({ suspects: false })).toEqual(ulids);
    },
  );

  it('in all stays one after a run that ended by itself', async () => {
    const [ulid = ''] = await queue.add([{ maxAttempts: 30 }]);
    for (let crashes = 1; crashes <= 10; crashes += 1) {
      const lost = queue.newWorker();
      expect((await lost.exchange({ want: 1 })).claimed).toHaveLength(1);
      await queue.moveClock(crashes * (LEASE_MS + 1));
      await queue.reap({ maxCrashes: MAX_CRASHES });
      const by = queue.newWorker();
      const settles = (await by.exchange({ want: 1 })).claimed.map((job) => ({ ...job, settlement: FAILED }));
      await by.exchange({ settles });
      await queue.promote();
    }
    expect((await queue.read(ulid)).record).toMatchObject({ status: 'queued', crashes: 0, crashesInAll: 10, attempt: 10 });
    expect(await claim({ suspects: false })).toEqual([]);
    expect(await claim()).toEqual([ulid]);
    await queue.moveClock(11 * (LEASE_MS + 1));
    await queue.reap({ maxCrashes: MAX_CRASHES });
    expect((await queue.read(ulid)).record).toMatchObject({ status: 'failed', crashesInAll: 11 });
  });

  it('is no less one after it stood aside for a worker that cannot read its payload', async () => {
    const ulids = await queue.add([{ payloadVersion: 2 }, { payloadVersion: 2 }, { payloadVersion: 2 }]);
    await crash({ version: 2 });
    while ((await queue.redis.llen(queue.keys.suspects)) > 0) expect(await claim({ version: 1 })).toEqual([]);
    expect(await queue.redis.zcard(queue.keys.parked)).toBe(3);
    const [fresh] = await queue.add([{}]);
    expect(await claim({ version: 2, suspects: false })).toEqual([fresh]);
    expect(await claim({ version: 2 })).toEqual(ulids.slice(0, 1));
    expect(await claim({ version: 2 })).toEqual(ulids.slice(1, 2));
  });

  it('is not given beside another, also when one of them stood aside', async () => {
    const [newer] = await queue.add([{ payloadVersion: 2 }]);
    await crash({ version: 2 });
    expect(await claim({ version: 1 })).toEqual([]);
    const [older] = await queue.add([{}]);
    await crash({ version: 1 });
    expect(await claim({ version: 2 })).toEqual([older]);
    expect(await claim({ version: 2 })).toEqual([newer]);
  });

  it('is a job like others again once its work went on', async () => {
    const [ulid = '', other] = await queue.add([{}, {}]);
    await crash();
    const [job] = (await worker.exchange({ want: 1 })).claimed;
    if (job === undefined) throw new Error('Nothing was claimed.');
    expect(await queue.note([{ ...job, kind: 'checkpoint', json: '1' }])).toEqual([true]);
    await worker.exchange({ settles: [{ ...job, settlement: { event: 'hand_back', delayMs: 0 } }] });
    expect(await claim({ suspects: false })).toEqual([ulid]);
    expect(await claim()).toEqual([other]);
  });

  it('is buried by the next crash, and its worker takes no other with it', async () => {
    const ulids = await queue.add([{}, {}, {}]);
    await crash();
    const lost = queue.newWorker();
    const { claimed } = await lost.exchange({ want: 9 });
    expect(claimed.map(({ ulid }) => ulid)).toEqual(ulids.slice(0, 1));
    await queue.moveClock((await offsetMs()) + LEASE_MS + 1);
    await queue.reap({ maxCrashes: MAX_CRASHES });
    expect((await queue.depth()).counts).toMatchObject({ failed: 1, queued: 2 });
  });

  const waitsForOthers = async (): Promise<boolean> => (await worker.exchange({ want: 9, suspects: false })).suspectsWait;

  it('does not wait any more for who may have none once it was cancelled or replayed, while another does', async () => {
    const ulids = await queue.add([{}, {}, {}]);
    const [cancelled = '', replayed = '', other = ''] = ulids;
    await crash();
    await queue.cancel([cancelled, replayed]);
    await queue.replay(replayed);
    expect(await waitsForOthers()).toBe(true);
    expect(await queue.redis.lrange(queue.keys.suspects, 0, -1)).toEqual([other]);
    expect(await queue.redis.scard(queue.keys.ghosts)).toBe(0);
    await queue.cancel([other]);
    expect(await waitsForOthers()).toBe(false);
    expect((await queue.depth()).counts).toMatchObject({ cancelled: 2, queued: 0, processing: 1 });
  });

  it('is passed over in many calls if there are many that were cancelled', async () => {
    const ulids = await queue.add(Array.from({ length: 20 }, () => ({})));
    await crash();
    await queue.cancel(ulids);
    expect(await waitsForOthers()).toBe(true);
    expect(await waitsForOthers()).toBe(false);
  });

  it('is any job with ten crashes in all, whatever it checkpointed, and the eleventh buries it', async () => {
    const [ulid = ''] = await queue.add([{}]);
    for (let crashes = 1; crashes <= 10; crashes += 1) {
      const lost = queue.newWorker();
      const [job] = (await lost.exchange({ want: 1 })).claimed;
      if (job === undefined) throw new Error(`Nothing was claimed after ${crashes - 1} crashes.`);
      await queue.note([{ ...job, kind: 'checkpoint', json: String(crashes) }]);
      await queue.moveClock(crashes * (LEASE_MS + 1));
      await queue.reap({ maxCrashes: 5 });
    }
    expect((await queue.read(ulid)).record).toMatchObject({ status: 'queued', crashes: 1, crashesInAll: 10, attempt: 0 });
    expect(await claim({ suspects: false })).toEqual([]);
    expect(await claim()).toEqual([ulid]);
    await queue.moveClock(11 * (LEASE_MS + 1));
    await queue.reap({ maxCrashes: 5 });
    expect((await queue.read(ulid)).record).toMatchObject({ status: 'failed', crashesInAll: 11 });
  });
});
