import { closeRedis } from '@antrean/platform';
import { byPlace, readIndex, type IndexEntry, type IndexOrder } from '../../libs/jobs/src/store/job-index.js';
import { withFreshQueue } from '../support/fresh-queue.js';
import { StoredQueue } from '../support/stored-queue.js';
import { TestRedis } from '../support/test-redis.js';

const ALL = { status: 'failed', fromMs: 0, toMs: Number.MAX_SAFE_INTEGER, after: undefined } as const;

/** A ulid, in the order of its number. */
const nth = (n: number): string => String(n).padStart(26, '0');

async function put(queue: StoredQueue, entries: readonly IndexEntry[]): Promise<void> {
  for (let i = 0; i < entries.length; i += 1_000) {
    await queue.redis.zadd(queue.keys.failed, ...entries.slice(i, i + 1_000).flatMap(({ at, ulid }) => [at, ulid]));
  }
}

describe('a page of an index', () => {
  let queue: StoredQueue;

  withFreshQueue((fresh) => {
    queue = fresh;
  });

  const page = (order: IndexOrder, query: Partial<Parameters<typeof readIndex>[2]>) =>
    readIndex(queue.link, queue.type, { ...ALL, order, limit: 100, ...query });

  /** Moments with one job, with several, and without any; ids that do not follow the time. */
  const entries = [
    [2, 90],
    [4, 10],
    [4, 20],
    [4, 30],
    [4, 40],
    [5, 5],
    [8, 60],
    [8, 70],
  ].map(([at = 0, n = 0]) => ({ at, ulid: nth(n) }));
  const places = [...entries, ...[0, 2, 4, 5, 7, 8, 9].flatMap((at) => [0, 25, 65, 99].map((n) => ({ at, ulid: nth(n) })))];

  it.each(['forwards', 'backwards'] as const)('is what stands behind any place, within any time, %s', async (order) => {
    await put(queue, entries);
    const compare = byPlace(order);
    const sorted = [...entries].sort(compare);
    for (const after of [undefined, ...places]) {
      for (const [fromMs, toMs] of [
        [0, 9],
        [4, 5],
        [3, 7],
        [5, 4],
        [-9, -1],
        [9, 99],
      ] as const) {
        for (const limit of [1, 3, 100]) {
          const found = await page(order, { after, fromMs, toMs, limit });
          const fitting = sorted.filter(
            (entry) => entry.at >= fromMs && entry.at <= toMs && (after === undefined || compare(after, entry) < 0),
          );
          expect({ after, fromMs, toMs, limit, found }).toEqual({ after, fromMs, toMs, limit, found: fitting.slice(0, limit) });
        }
      }
    }
  });

  it('is empty where there is no index', async () => {
    expect(await page('forwards', {})).toEqual([]);
    expect(await page('backwards', { after: { at: 1, ulid: nth(1) } })).toEqual([]);
  });
});

/** What was carried out is counted for the whole server, so this has one of its own. */
describe('a page behind many jobs of one moment', () => {
  const MANY = 20_000;
  let server: TestRedis;
  let queue: StoredQueue;

  beforeAll(async () => {
    server = await TestRedis.start();
    queue = await StoredQueue.open(server.url);
    await put(
      queue,
      Array.from({ length: MANY }, (_, n) => ({ at: 1_000, ulid: nth(n) })),
    );
  });

  afterAll(async () => {
    closeRedis(queue.redis);
    await server.stop();
  });

  it.each([
    ['forwards', MANY - 3, [MANY - 2, MANY - 1]],
    ['backwards', 2, [1, 0]],
  ] as const)('is found %s without reading those before it', async (order, behind, numbers) => {
    await queue.redis.config('RESETSTAT');
    const after = { at: 1_000, ulid: nth(behind) };
    const found = await readIndex(queue.link, queue.type, { ...ALL, order, after, limit: 2 });
    const stats = await queue.redis.info('commandstats');
    expect(found.map(({ ulid }) => ulid)).toEqual(numbers.map(nth));
    const calls = [...stats.matchAll(/cmdstat_z\w+:calls=(\d+)/g)].map(([, count]) => Number(count));
    expect(calls.reduce((sum, count) => sum + count, 0)).toBeLessThan(25);
  });
});
