import { heartbeat } from '../../libs/jobs/src/store/heartbeat.js';
import { LEASE_MS, StoredQueue, type StoredWorker } from '../support/stored-queue.js';

describe('a worker whose jobs are taken away in parts', () => {
  let queue: StoredQueue;
  let lost: StoredWorker;

  beforeEach(async () => {
    queue = await StoredQueue.open();
    lost = queue.newWorker();
    await queue.add(Array.from({ length: 10 }, () => ({})));
    await lost.exchange({ want: 10 });
    await queue.moveClock(LEASE_MS + 1);
    expect((await queue.reap({ limit: 4 })).jobs).toHaveLength(4);
  });

  afterEach(async () => {
    await queue.close();
  });

  it('is told that its lease is gone, and does not revive it', async () => {
    expect((await heartbeat(queue.link, queue.type, lost.identity.number, LEASE_MS)).held).toBeUndefined();
    expect((await queue.reap({ limit: 4 })).jobs).toHaveLength(4);
    expect((await queue.reap({ limit: 4 })).jobs).toHaveLength(2);
    expect((await queue.depth()).counts).toMatchObject({ queued: 10, processing: 0 });
  });

  it('leaves nothing of itself behind when the last is taken', async () => {
    expect((await lost.exchange({ lane: 1, call: 1, want: 1 })).claimed).toHaveLength(1);
    await queue.moveClock(2 * (LEASE_MS + 1));
    while ((await queue.reap({ limit: 4 })).jobs.length > 0);
    expect(await queue.redis.exists(queue.keys.lanes, queue.keys.workers, queue.keys.leases, queue.keys.idle)).toBe(0);
  });
});

describe('a lease that is over', () => {
  let queue: StoredQueue;
  let worker: StoredWorker;

  beforeEach(async () => {
    queue = await StoredQueue.open();
    worker = queue.newWorker();
  });

  afterEach(async () => {
    await queue.close();
  });

  it('is revived by a heartbeat, as long as nobody took the jobs away', async () => {
    await queue.add([{}]);
    await worker.exchange({ want: 1 });
    await queue.moveClock(2 * LEASE_MS);
    expect(await heartbeat(queue.link, queue.type, worker.identity.number, LEASE_MS)).toEqual({ held: 1, cancels: [] });
    expect(await queue.reap()).toMatchObject({ workerNumber: undefined, jobs: [] });
  });

  it('of a worker that is not registered tells nothing of when its runs ended, so they crashed', async () => {
    const [ulid] = await queue.add([{ timeoutMs: 1_000 }]);
    await worker.exchange({ want: 1 });
    await queue.redis.del(queue.keys.workers);
    await queue.moveClock(LEASE_MS + 1);
    const { timedOut, jobs } = await queue.reap({ graceMs: 0 });
    expect([timedOut, jobs.map((job) => [job.ulid, job.record.crashes])]).toEqual([[], [[ulid, 1]]]);
  });

  it('has its jobs wait from then on, not for the time that they ran, as one that is handed back', async () => {
    const oldestMs = async () => (await queue.depth()).oldestQueuedMs;
    await queue.add([{}]);
    await worker.exchange({ want: 1 });
    await queue.moveClock(2 * LEASE_MS);
    await queue.reap();
    expect(await oldestMs()).toBeLessThan(LEASE_MS);
    const { claimed } = await queue.newWorker().exchange({ want: 1 });
    await queue.moveClock(4 * LEASE_MS);
    await queue
      .newWorker()
      .exchange({ settles: claimed.map((job) => ({ ...job, settlement: { event: 'hand_back', delayMs: 0 } })) });
    expect(await oldestMs()).toBeLessThan(LEASE_MS);
    const again = await worker.exchange({ want: 1 });
    await queue.moveClock(6 * LEASE_MS);
    const unbegun = { event: 'hand_back', delayMs: 0, neverBegan: true } as const;
    await worker.exchange({ settles: again.claimed.map((job) => ({ ...job, settlement: unbegun })) });
    expect(await oldestMs()).toBeGreaterThanOrEqual(2 * LEASE_MS);
  });

  it('leaves its jobs to others ahead of fresh ones, the oldest first', async () => {
    const ulids = await queue.add([{}, {}, {}]);
    await worker.exchange({ want: 3 });
    const [fresh] = await queue.add([{}]);
    await queue.moveClock(LEASE_MS + 1);
    await queue.reap();
    const { claimed } = await queue.newWorker().exchange({ want: 9 });
    expect(claimed.map(({ ulid }) => ulid)).toEqual([...ulids, fresh]);
  });
});
