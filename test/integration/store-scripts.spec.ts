import { closeRedis, waitUntilReady } from '@antrean/platform';
import { heartbeat } from '../../libs/jobs/src/store/heartbeat.js';
import { dedupeHolder } from '../../libs/jobs/src/store/dedupe-holder.js';
import { LEASE_MS, StoredQueue } from '../support/stored-queue.js';
import { TestRedis } from '../support/test-redis.js';

/** SCRIPT FLUSH is for the whole server, so this file has one of its own. */
describe('a Redis that has forgotten the scripts', () => {
  let server: TestRedis;
  let queue: StoredQueue;

  beforeAll(async () => {
    server = await TestRedis.start();
    queue = await StoredQueue.open(server.url);
  });

  afterAll(async () => {
    closeRedis(queue.redis);
    await server.stop();
  });

  it('learns each of them again with the call that needs it', async () => {
    const worker = queue.newWorker();
    const forget = () => queue.redis.script('FLUSH');
    await forget();
    const [ulid = ''] = await queue.add([{ dedupe: { policy: 'until_finished', key: 'k' } }]);
    await forget();
    const [claimed] = (await worker.exchange({ want: 1 })).claimed;
    expect(claimed?.ulid).toBe(ulid);
    await forget();
    expect(await heartbeat(queue.link, queue.type, worker.identity.number, LEASE_MS)).toEqual({ held: 1, cancels: [] });
    await forget();
    expect((await queue.read(ulid)).record.status).toBe('processing');
    await forget();
    expect((await queue.depth()).counts.processing).toBe(1);
    await forget();
    expect(await dedupeHolder(queue.link, queue.type, 'k')).toBe(ulid);
    await queue.moveClock(LEASE_MS + 1);
    await forget();
    expect((await queue.reap()).jobs.map((job) => job.ulid)).toEqual([ulid]);
    await forget();
    expect((await queue.promote()).moved).toEqual([]);
    await forget();
    expect(await queue.sweep(0, 0)).toEqual({ removed: 0, nextDueInMs: undefined });
  });

  it('after a restart has every job that was accepted, and its worker goes on', async () => {
    const [ulid = ''] = await queue.add([{}]);
    const worker = queue.newWorker();
    const { claimed } = await worker.exchange({ want: 9 });
    expect(claimed.map((job) => job.ulid)).toContain(ulid);
    await server.restart();
    expect(await waitUntilReady(queue.redis, 10_000)).toBe(true);
    const reply = await worker.exchange({
      settles: claimed.map(({ ulid: job, token }) => ({ ulid: job, token, settlement: { event: 'succeed', json: '' } })),
    });
    expect(reply.settled).toEqual(claimed.map(() => 'succeeded'));
    expect((await queue.depth()).counts.processing).toBe(0);
  });
});
