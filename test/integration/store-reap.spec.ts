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
