import { dedupeHolder } from '../../libs/jobs/src/store/dedupe-holder.js';
import type { Claimed, Settlement } from '../../libs/jobs/src/store/exchange.js';
import { withFreshQueue } from '../support/fresh-queue.js';
import type { StoredQueue, StoredWorker } from '../support/stored-queue.js';

const HOUR = 3_600_000;

describe('a dedupe key', () => {
  let queue: StoredQueue;

  withFreshQueue((fresh) => {
    queue = fresh;
  });

  const holder = () => dedupeHolder(queue.link, queue.type, 'k');

  it.each<Settlement>([
    { event: 'succeed', json: '' },
    { event: 'bury', outcome: 'failed', json: '{}' },
  ])('stays with the job that took it when one ends that held it before: $event', async (settlement) => {
    const worker = queue.newWorker();
    const plan = { dedupe: { policy: 'until_started', key: 'k' } } as const;
    const [before = ''] = await queue.add([plan]);
    const { claimed } = await worker.exchange({ want: 1 });
    const [after] = await queue.add([plan]);
    await worker.exchange({ settles: claimed.map((job) => ({ ...job, settlement })) });
    expect(await holder()).toBe(after);
    await queue.remove([before]);
    expect(await holder()).toBe(after);
  });

  describe('that is held until the first run starts', () => {
    const plan = { dedupe: { policy: 'until_started', key: 'k' } } as const;
    const claim = async (worker: StoredWorker) => (await worker.exchange({ want: 1 })).claimed;
    const end = async (worker: StoredWorker, jobs: readonly Claimed[], settlement: Settlement): Promise<void> => {
      await worker.exchange({ settles: jobs.map((job) => ({ ...job, settlement })) });
    };

    it.each([0, 1_000])('is held on after a claim whose run never began, %i ms later', async (delayMs) => {
      const worker = queue.newWorker();
      const [ulid = ''] = await queue.add([plan]);
      await end(worker, await claim(worker), { event: 'hand_back', delayMs, neverBegan: true });
      expect(await holder()).toBe(ulid);
      expect((await queue.enqueue([queue.newJob(plan)])).map(({ kind }) => kind)).toEqual(['duplicate']);
      expect((await queue.read(ulid)).record).toMatchObject({ runs: 0, startedAt: 0 });
    });

    it.each<Settlement>([
      { event: 'hand_back', delayMs: 0 },
      { event: 'retry', outcome: 'failed', delayMs: 0, json: '{}' },
    ])('is not taken again by a claim whose run never began once another did: $event', async (settlement) => {
      const worker = queue.newWorker();
      const [ulid = ''] = await queue.add([plan]);
      await end(worker, await claim(worker), settlement);
      const { startedAt } = (await queue.read(ulid)).record;
      await queue.moveClock(5_000);
      await queue.promote();
      await end(worker, await claim(worker), { event: 'hand_back', delayMs: 0, neverBegan: true });
      expect(await holder()).toBeUndefined();
      expect((await queue.read(ulid)).record).toMatchObject({ runs: 1, startedAt });
    });

    it('is held on by a replay whose run never began', async () => {
      const worker = queue.newWorker();
      const [ulid = ''] = await queue.add([plan]);
      await end(worker, await claim(worker), { event: 'bury', outcome: 'failed', json: '{}' });
      await queue.replay(ulid);
      await end(worker, await claim(worker), { event: 'hand_back', delayMs: 0, neverBegan: true });
      expect(await holder()).toBe(ulid);
    });
  });

  it('with a time of its own is free after a cancel, also when the job is not kept any more', async () => {
    const [ulid = ''] = await queue.add([{ dedupe: { policy: 'ttl', key: 'k' }, dedupeTtlMs: HOUR }]);
    expect(await holder()).toBe(ulid);
    await queue.cancel([ulid]);
    expect(await holder()).toBeUndefined();
    expect(await queue.sweep(0, 0)).toMatchObject({ removed: 1 });
    expect(await holder()).toBeUndefined();
  });
});
