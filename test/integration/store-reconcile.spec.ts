import { reconcile, type Reconciled } from '../../libs/jobs/src/store/reconcile.js';
import { LEASE_MS, StoredQueue, type StoredWorker } from '../support/stored-queue.js';

describe('a reconcile', () => {
  let opened: StoredQueue;
  let queue: StoredQueue;
  let worker: StoredWorker;

  beforeAll(async () => {
    opened = await StoredQueue.open();
  });

  beforeEach(() => {
    queue = opened.another();
    worker = queue.newWorker();
  });

  afterAll(async () => {
    await opened.close();
  });

  const ask = (call: number, { offset = 0, limit = 250 } = {}): Promise<Reconciled> =>
    reconcile(queue.link, {
      type: queue.type,
      workerNumber: worker.identity.number,
      lane: 0,
      call,
      leaseMs: LEASE_MS,
      offset,
      limit,
    });

  it('names the jobs that run under the worker, whatever lane they came from, with the tokens that count', async () => {
    await queue.add([{}, {}, {}, {}]);
    const first = (await worker.exchange({ want: 2 })).claimed;
    const second = (await worker.exchange({ lane: 1, want: 1 })).claimed;
    await queue.newWorker().exchange({ want: 1 });
    const { held, seen } = await ask(2);
    expect(seen).toBe(3);
    expect(new Map(held.map(({ ulid, token }) => [ulid, token]))).toEqual(
      new Map([...first, ...second].map(({ ulid, token }) => [ulid, token])),
    );
  });

  it('goes page by page', async () => {
    const ulids = await queue.add(Array.from({ length: 7 }, () => ({})));
    await worker.exchange({ want: 9 });
    const pages = [await ask(2, { limit: 3 }), await ask(3, { offset: 3, limit: 3 }), await ask(4, { offset: 6, limit: 3 })];
    expect(pages.map(({ seen }) => seen)).toEqual([3, 3, 1]);
    expect(pages.flatMap(({ held }) => held.map(({ ulid }) => ulid)).sort()).toEqual(ulids.toSorted());
  });

  it('lets calls of its lane that are still on their way come late', async () => {
    await queue.add([{}]);
    await ask(5);
    await expect(worker.exchange({ call: 4, want: 1 })).rejects.toThrow(/^STALE /);
    expect((await worker.exchange({ call: 6, want: 1 })).claimed).toHaveLength(1);
    await expect(ask(5)).rejects.toThrow(/^STALE /);
  });

  it('names nothing that was reaped, and drops entries that no run stands behind', async () => {
    const [ulid = ''] = await queue.add([{}]);
    await worker.exchange({ want: 1 });
    await queue.moveClock(LEASE_MS + 1);
    await queue.reap();
    // As if a half-done failover had left it.
    await queue.redis.zadd(queue.keys.running, worker.number, ulid);
    expect((await ask(2)).held).toEqual([]);
    expect(await queue.redis.exists(queue.keys.running)).toBe(0);
  });

  it('gives jobs a lease that have none, so that they would be taken back', async () => {
    await queue.add([{}]);
    await worker.exchange({ want: 1 });
    await queue.redis.del(queue.keys.leases);
    expect((await ask(2)).held).toHaveLength(1);
    await queue.moveClock(LEASE_MS + 1);
    expect((await queue.reap()).jobs).toHaveLength(1);
  });
});
