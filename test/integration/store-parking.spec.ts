import { withFreshQueue } from '../support/fresh-queue.js';
import { LEASE_MS, type StoredQueue, type StoredWorker } from '../support/stored-queue.js';

const HOUR = 3_600_000;

describe('a job whose payload is newer than the worker', () => {
  let queue: StoredQueue;
  let worker: StoredWorker;

  withFreshQueue((fresh) => {
    queue = fresh;
    worker = queue.newWorker();
  });

  const claim = async (version: number, want = 9): Promise<string[]> =>
    (await worker.exchange({ want, version })).claimed.map(({ ulid }) => ulid);

  it('stands aside, keeps its attempts and holds nobody up', async () => {
    const [newer = '', older] = await queue.add([{ payloadVersion: 2 }, {}]);
    expect(await claim(1)).toEqual([older]);
    const { record, parked } = await queue.read(newer);
    expect([record.status, record.attempt, record.runs, parked]).toEqual(['queued', 0, 0, true]);
    expect((await queue.depth()).counts).toMatchObject({ queued: 1, processing: 1 });
  });

  it('runs first, the oldest version ahead, once a worker comes that reads it', async () => {
    const [third, second = ''] = await queue.add([{ payloadVersion: 3 }, { payloadVersion: 2, priority: 0 }]);
    expect(await claim(1)).toEqual([]);
    const [fresh] = await queue.add([{ priority: 9 }]);
    expect(await claim(2)).toEqual([second, fresh]);
    expect((await queue.read(second)).parked).toBe(false);
    expect(await claim(3)).toEqual([third]);
  });

  it('is not kept waiting by others in front of it that expired', async () => {
    const [gone = '', alive] = await queue.add([{ payloadVersion: 2, expiresInMs: HOUR }, { payloadVersion: 2 }]);
    await claim(1);
    await queue.moveClock(HOUR + LEASE_MS);
    const reply = await worker.exchange({ want: 1, version: 2 });
    expect(reply.claimed.map(({ ulid }) => ulid)).toEqual([alive]);
    expect((await queue.read(gone)).record.status).toBe('expired');
  });

  it('that is cancelled leaves nothing among those that stand aside', async () => {
    const [ulid = ''] = await queue.add([{ payloadVersion: 2 }]);
    await claim(1);
    await queue.cancel([ulid]);
    expect(await queue.redis.exists(queue.keys.parked, queue.keys.ghosts)).toBe(0);
    expect(await claim(2)).toEqual([]);
  });
});
