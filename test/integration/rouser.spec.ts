import { defineJob, unchecked } from '@antrean/jobs';
import { Link } from '@antrean/jobs/testing';
import { Rouser } from '../../libs/jobs/src/services/rouser.js';
import { Ear } from '../support/ear.js';
import { startJobsApp } from '../support/jobs-app.js';
import { silentLogger } from '../support/shared-redis.js';
import { StoredQueue } from '../support/stored-queue.js';

describe('a process that woke a worker', () => {
  let queue: StoredQueue;
  let rouser: Rouser;
  let ear: Ear;

  beforeEach(async () => {
    queue = await StoredQueue.open();
    ear = await Ear.of(queue);
    // A Redis that does not know the script yet is asked twice, the second time behind whatever was asked meanwhile.
    await queue.rouse();
    rouser = new Rouser(queue.link, { logger: silentLogger });
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'Date'] });
  });

  afterEach(async () => {
    jest.useRealTimers();
    ear.close();
    await queue.close();
  });

  /** A job that nobody comes for, whoever hears that it is there. */
  const nobodyComesFor = async (type: StoredQueue, workers: number): Promise<void> => {
    for (let i = 0; i < workers; i += 1) {
      const worker = type.newWorker();
      await worker.exchange({ want: 1 });
      await ear.listenFor(worker);
    }
    await type.add([{}]);
    await ear.drain();
  };

  /** Lets time pass; how many workers were woken meanwhile. */
  const wokenWithin = async (ms: number): Promise<number> => {
    jest.advanceTimersByTime(ms);
    // Redis answers in the order in which it was asked.
    await queue.redis.ping();
    return (await ear.drain()).length;
  };

  it('looks again and wakes the next, after ever longer pauses, until the poll of the workers is as near', async () => {
    await nobodyComesFor(queue, 20);
    rouser.woke(queue.type);
    for (const pauseMs of [200, 400, 800, 1_600, 3_200, 6_400, 12_800, 25_600]) {
      expect([pauseMs, await wokenWithin(pauseMs - 1)]).toEqual([pauseMs, 0]);
      expect([pauseMs, await wokenWithin(1)]).toEqual([pauseMs, 1]);
    }
    expect(jest.getTimerCount()).toBe(0);
  });

  it('looks no more once somebody came', async () => {
    await nobodyComesFor(queue, 3);
    rouser.woke(queue.type);
    expect(await wokenWithin(200)).toBe(1);
    await queue.newWorker().exchange({ want: 1 });
    expect(await wokenWithin(400)).toBe(0);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('looks once for a type, however many calls woke somebody', async () => {
    await nobodyComesFor(queue, 9);
    const other = queue.another();
    for (let i = 0; i < 5; i += 1) rouser.woke(queue.type);
    rouser.woke(other.type);
    expect(jest.getTimerCount()).toBe(2);
    expect(await wokenWithin(200)).toBe(1);
    expect(jest.getTimerCount()).toBe(1);
  });

  it('looks soon again when somebody is woken during a longer pause', async () => {
    await nobodyComesFor(queue, 9);
    rouser.woke(queue.type);
    expect(await wokenWithin(200)).toBe(1);
    expect(await wokenWithin(400)).toBe(1);
    rouser.woke(queue.type);
    expect(jest.getTimerCount()).toBe(1);
    expect(await wokenWithin(200)).toBe(1);
  });

  it('gives up while Redis is away, or answers with an error', async () => {
    await nobodyComesFor(queue, 9);
    const call = jest.spyOn(queue.redis, 'callBuffer').mockRejectedValueOnce(new Error('Connection is closed.'));
    rouser.woke(queue.type);
    expect(await wokenWithin(200)).toBe(0);
    expect(call).toHaveBeenCalledTimes(1);
    expect(jest.getTimerCount()).toBe(0);
    call.mockRestore();
    const away = new Rouser(Object.create(queue.link, { redis: { value: { status: 'reconnecting' } } }) as typeof queue.link, {
      logger: silentLogger,
    });
    away.woke(queue.type);
    expect(await wokenWithin(200)).toBe(0);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('looks at once when it ends, and no more', async () => {
    await nobodyComesFor(queue, 9);
    rouser.woke(queue.type);
    await rouser.close();
    expect(await ear.drain()).toHaveLength(1);
    rouser.woke(queue.type);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('is not held up when it ends by a Redis that does not answer', async () => {
    const call = jest.spyOn(queue.redis, 'callBuffer').mockReturnValue(new Promise(() => undefined));
    rouser.woke(queue.type);
    const closing = rouser.close();
    await jest.advanceTimersByTimeAsync(500);
    await closing;
    expect(call).toHaveBeenCalledTimes(1);
    call.mockRestore();
  });
});

describe('an application that submits and ends', () => {
  it('has another worker woken when nobody came yet for what it submitted', async () => {
    const Run = defineJob('ended.run', { payload: unchecked<object>() });
    const jobs = await startJobsApp([Run], [], { types: ['!*'] });
    const opened = await StoredQueue.open();
    const queue = StoredQueue.of(new Link(opened.redis, jobs.link.keyPrefix), Run.type);
    const ear = await Ear.of(queue);
    for (const worker of [queue.newWorker(), queue.newWorker()]) {
      await worker.exchange({ want: 1 });
      await ear.listenFor(worker);
    }
    await jobs.queue.enqueue(Run, {});
    expect(await ear.drain()).toHaveLength(1);
    await jobs.close();
    expect(await ear.drain()).toHaveLength(1);
    ear.close();
    await opened.close();
  });
});
