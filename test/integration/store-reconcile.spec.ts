import { reconcile, type Reconciled } from '../../libs/jobs/src/store/reconcile.js';
import { withFreshQueue } from '../support/fresh-queue.js';
import { LEASE_MS, type StoredQueue, type StoredWorker } from '../support/stored-queue.js';

describe('a reconcile', () => {
  let queue: StoredQueue;
  let worker: StoredWorker;

  withFreshQueue((fresh) => {
    queue = fresh;
    worker = queue.newWorker();
  });

  let calls = 1;
  const nextCall = (): number => (calls += 1);
  const ask = (call: number, { after = '', limit = 250 } = {}): Promise<Reconciled> =>
    reconcile(queue.link, {
      type: queue.type,
      workerNumber: worker.identity.number,
      lane: 0,
      call,
      leaseMs: LEASE_MS,
      after,
      limit,
    });

  /** The ulids of each page; `between` runs after every page but the last. */
  const pagesOf = async (limit: number, between?: (page: number) => Promise<void>): Promise<string[][]> => {
    const pages: string[][] = [];
    for (let after: string | undefined = ''; after !== undefined;) {
      const page: Reconciled = await ask(nextCall(), { after, limit });
      pages.push(page.held.map(({ ulid }) => ulid));
      after = page.next;
      if (after !== undefined) await between?.(pages.length);
    }
    return pages;
  };

  it('names the jobs that run under the worker, whatever lane they came from, with the tokens that count', async () => {
    await queue.add([{}, {}, {}, {}]);
    const first = (await worker.exchange({ want: 2 })).claimed;
    const second = (await worker.exchange({ lane: 1, want: 1 })).claimed;
    await queue.newWorker().exchange({ want: 1 });
    const { held, next } = await ask(2);
    expect(next).toBeUndefined();
    expect(new Map(held.map(({ ulid, token }) => [ulid, token]))).toEqual(
      new Map([...first, ...second].map(({ ulid, token }) => [ulid, token])),
    );
  });

  it('goes page by page', async () => {
    const ulids = await queue.add(Array.from({ length: 7 }, () => ({})));
    await worker.exchange({ want: 9 });
    const sorted = ulids.toSorted();
    const others = [queue.newWorker(), queue.newWorker(), queue.newWorker()];
    await queue.add([{}, {}, {}]);
    for (const other of others) await other.exchange({ want: 1 });
    expect(await pagesOf(3)).toEqual([sorted.slice(0, 3), sorted.slice(3, 6), sorted.slice(6)]);
    expect(await pagesOf(7)).toEqual([sorted]);
  });

  it('omits no job when others are taken away between two pages', async () => {
    const ulids = (await queue.add(Array.from({ length: 9 }, () => ({})))).toSorted();
    await worker.exchange({ want: 9 });
    const pages = await pagesOf(3, async (page) => {
      if (page === 1) await queue.redis.zrem(queue.keys.running, ...ulids.slice(0, 3));
      // In front of the page, in it and its last.
      if (page === 2) await queue.redis.zrem(queue.keys.running, ulids[3] ?? '', ulids[5] ?? '');
    });
    expect(pages).toEqual([ulids.slice(0, 3), ulids.slice(3, 6), ulids.slice(6)]);
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

  it('registers a worker that has jobs, so that it is known of its runs which were past their time when it was last heard of', async () => {
    const [ulid] = await queue.add([{ timeoutMs: 1_000 }]);
    await worker.exchange({ want: 1 });
    await queue.redis.del(queue.keys.leases, queue.keys.workers);
    await queue.moveClock(7_000);
    await ask(2);
    await queue.moveClock(7_000 + LEASE_MS + 1_000);
    const { timedOut, jobs } = await queue.reap({ graceMs: 5_000 });
    expect([timedOut.map((job) => job.ulid), jobs]).toEqual([[ulid], []]);
  });

  it('leaves the registration of a worker as it is', async () => {
    await queue.add([{}]);
    await worker.exchange({ want: 1 });
    const before = await queue.redis.hgetall(queue.keys.workers);
    await ask(2);
    expect(await queue.redis.hgetall(queue.keys.workers)).toEqual(before);
  });
});
