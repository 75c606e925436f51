import { Link } from '@antrean/jobs/testing';
import { closeRedis, connectRedis, waitUntilReady } from '@antrean/platform';
import { Script } from '../../libs/jobs/src/store/script.js';
import { heartbeat } from '../../libs/jobs/src/store/heartbeat.js';
import { silentLogger } from '../support/shared-redis.js';
import { reaperOf } from '../support/reaper-of.js';
import { LEASE_MS, StoredQueue } from '../support/stored-queue.js';
import { TestRedis } from '../support/test-redis.js';

describe('a reaper', () => {
  // A node of a Cluster that was restarted answers like this for some seconds: TIME, and nothing that has a key.
  it.each([
    [
      'takes no writes',
      ['CONFIG', 'SET', 'min-replicas-to-write', '1'],
      'NOREPLICAS',
      ['CONFIG', 'SET', 'min-replicas-to-write', '0'],
    ],
    ['runs no scripts', ['ACL', 'SETUSER', 'default', '-evalsha'], 'NOPERM', ['ACL', 'SETUSER', 'default', '+evalsha']],
  ])('of a Redis that answers and %s gives living workers their time from when it does', async (_trouble, begin, says, end) => {
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
    const administer = ([command = '', ...args]: readonly string[]) => redis.call(command, ...args);
    await administer(begin);
    await expect(reaper.tick()).rejects.toThrow(says);
    await expect(reaper.tick()).rejects.toThrow(says);
    await administer(end);
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
    const { sha } = new Script('probe');
    const calls = jest.spyOn(queue.redis, 'callBuffer');
    const asks = () => calls.mock.calls.filter(([, called]) => called === sha).length;
    while ((await reaper.tick()) === 0);
    expect([told.length, asks()]).toEqual([200, 1]);
    await queue.newWorker().exchange({ want: 1 });
    for (let tick = 0; tick < 2; tick += 1) await reaper.tick();
    expect(asks()).toBe(2);
    await queue.close();
  });
});
