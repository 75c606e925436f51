import { Link } from '@antrean/jobs/testing';
import { closeRedis, connectRedis, waitUntilReady } from '@antrean/platform';
import { heartbeat } from '../../libs/jobs/src/store/heartbeat.js';
import { silentLogger } from '../support/jobs-app.js';
import { reaperOf } from '../support/reaper-of.js';
import { LEASE_MS, StoredQueue } from '../support/stored-queue.js';
import { TestRedis } from '../support/test-redis.js';

describe('a reaper', () => {
  // A node of a Cluster that was restarted answers like this for some seconds: TIME, and nothing that has a key.
  it('of a Redis that answers and takes no writes gives living workers their time from when it takes them', async () => {
    const server = await TestRedis.start();
    const redis = connectRedis(server.url, { name: 'antrean-test', logger: silentLogger });
    expect(await waitUntilReady(redis, 10_000)).toBe(true);
    const queue = StoredQueue.of(new Link(redis, 'test'), 'reaped.run');
    const worker = queue.newWorker();
    await queue.add([{ timeoutMs: 600_000 }]);
    await worker.exchange({ want: 1 });
    const { reaper, told } = reaperOf(queue, { leaseMs: LEASE_MS, graceMs: 0 });
    // The first only looks.
    for (let tick = 0; tick < 2; tick += 1) await reaper.tick();

    await queue.moveClock(LEASE_MS + 1_000);
    await redis.config('SET', 'min-replicas-to-write', 1);
    await expect(reaper.tick()).rejects.toThrow('NOREPLICAS');
    await expect(reaper.tick()).rejects.toThrow('NOREPLICAS');
    await redis.config('SET', 'min-replicas-to-write', 0);
    expect(await reaper.tick()).toBeGreaterThan(1_000);
    await heartbeat(queue.link, queue.type, worker.identity.number, LEASE_MS);
    await reaper.tick();
    expect(told).toEqual([]);

    await queue.moveClock(2 * LEASE_MS + 2_000);
    await reaper.tick();
    expect(told).toEqual(['crashed']);
    closeRedis(redis);
    await server.stop();
  });

  it('asks whether Redis hangs before it looks at leases, and not again while there are more jobs to take back', async () => {
    const queue = await StoredQueue.open();
    await queue.add(Array.from({ length: 200 }, () => ({ timeoutMs: 600_000 })));
    const lost = queue.newWorker();
    for (let call = 0; call < 4; call += 1) await lost.exchange({ want: 64 });
    const { reaper, told } = reaperOf(queue, { leaseMs: LEASE_MS, graceMs: 0 });
    for (let tick = 0; tick < 2; tick += 1) await reaper.tick();
    await queue.moveClock(LEASE_MS + 1_000);
    const asks = jest.spyOn(queue.redis, 'zrem');
    while ((await reaper.tick()) === 0);
    expect([told.length, asks.mock.calls.length]).toEqual([200, 1]);
    await queue.newWorker().exchange({ want: 1 });
    for (let tick = 0; tick < 2; tick += 1) await reaper.tick();
    expect(asks).toHaveBeenCalledTimes(2);
    await queue.close();
  });
});
