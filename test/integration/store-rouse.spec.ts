import { Ear } from '../support/ear.js';
import { withFreshQueue } from '../support/fresh-queue.js';
import type { StoredQueue, StoredWorker } from '../support/stored-queue.js';

const HOUR = 3_600_000;

describe('a look whether a woken worker came', () => {
  let queue: StoredQueue;
  let ear: Ear;

  withFreshQueue(async (fresh) => {
    queue = fresh;
    ear = await Ear.of(queue);
  });

  afterEach(() => {
    ear.close();
  });

  const channelOf = (worker: StoredWorker) => queue.keys.wake(worker.number);

  /** A worker that found nothing and hears, whether or not it answers. */
  const idleWorker = async (version = 1): Promise<StoredWorker> => {
    const worker = queue.newWorker();
    expect((await worker.exchange({ want: 1, version })).idle).toBe(true);
    await ear.listenFor(worker);
    await queue.nextMillisecond();
    return worker;
  };

  it('wakes one more while a job stands in line, and says so until nobody is left', async () => {
    const [last, second, first] = [await idleWorker(), await idleWorker(), await idleWorker()];
    await queue.add([{}]);
    expect(await ear.drain()).toEqual([channelOf(first)]);
    expect(await queue.rouse()).toBe(true);
    expect(await ear.drain()).toEqual([channelOf(second)]);
    expect(await queue.rouse()).toBe(true);
    expect(await ear.drain()).toEqual([channelOf(last)]);
    expect(await queue.rouse()).toBe(false);
    expect(await ear.drain()).toEqual([]);
  });

  it.each([0, 9])('finds a job of priority %i', async (priority) => {
    await idleWorker();
    await idleWorker();
    await queue.add([{ priority }]);
    expect(await queue.rouse()).toBe(true);
  });

  it('wakes nobody when no job is in line', async () => {
    expect(await queue.rouse()).toBe(false);
    await idleWorker();
    const comes = await idleWorker();
    await queue.add([{}]);
    await comes.exchange({ want: 1 });
    expect(await queue.rouse()).toBe(false);
    expect(await ear.drain()).toEqual([channelOf(comes)]);
  });

  it('wakes one more for a suspect', async () => {
    const lost = queue.newWorker();
    await queue.add([{}]);
    await lost.exchange({ want: 1 });
    await queue.moveClock(3_600_000);
    const [second, first] = [await idleWorker(), await idleWorker()];
    expect((await queue.reap({ maxCrashes: 2 })).jobs).toMatchObject([{ record: { suspect: true } }]);
    expect(await queue.rouse()).toBe(true);
    expect(await ear.drain()).toEqual([channelOf(first), channelOf(second)]);
  });

  it.each([
    ['queue', 0, { when: { delayMs: HOUR } }],
    ['expire', 0, { payloadVersion: 2, expiresInMs: HOUR }],
    ['be tried again', HOUR, {}],
  ])('wakes one more once a job is to %s, and not before', async (_what, delayMs, plan) => {
    const comes = queue.newWorker();
    await queue.add([plan]);
    const { claimed } = await comes.exchange({ want: 1 });
    const settlement = { event: 'retry', outcome: 'failed', delayMs, json: '{}' } as const;
    await comes.exchange({ settles: claimed.map((job) => ({ ...job, settlement })) });
    await idleWorker();
    expect(await queue.rouse()).toBe(false);
    await queue.moveClock(HOUR + 1_000);
    expect(await queue.rouse()).toBe(true);
  });

  it('wakes nobody for a job which was left aside that was not heard for when there was other work', async () => {
    const reader = queue.newWorker();
    await reader.exchange({ want: 1, version: 2 });
    await queue.add([{ payloadVersion: 2 }]);
    await queue.newWorker().exchange({ want: 1 });
    await ear.listenFor(reader);
    expect(await queue.rouse()).toBe(false);
  });

  it('wakes one more that reads a job which was left aside, and no other', async () => {
    await queue.add([{ payloadVersion: 2 }]);
    await idleWorker();
    const other = queue.newWorker();
    await other.exchange({ want: 1 });
    expect(await queue.rouse()).toBe(false);
    const [second, first] = [await idleWorker(), await idleWorker()];
    for (const reader of [second, first]) await queue.redis.hset(queue.keys.workers, reader.number, '2 30000 it');
    expect(await queue.rouse()).toBe(true);
    expect(await queue.rouse()).toBe(true);
    expect(await queue.rouse()).toBe(false);
    expect(await ear.drain()).toEqual([channelOf(first), channelOf(second)]);
  });
});
