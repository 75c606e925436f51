import { audit } from '../../libs/jobs/src/store/audit.js';
import { replay } from '../../libs/jobs/src/store/replay.js';
import { Ear } from '../support/ear.js';
import { withFreshQueue } from '../support/fresh-queue.js';
import type { StoredQueue, StoredWorker } from '../support/stored-queue.js';

const HOUR = 3_600_000;

describe('a wake-up', () => {
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

  /** A worker that found nothing and listens. */
  const idleWorker = async (): Promise<StoredWorker> => {
    const worker = await deadWorker();
    await ear.listenFor(worker);
    await queue.nextMillisecond();
    return worker;
  };

  /** A worker that found nothing and is gone since. */
  const deadWorker = async (): Promise<StoredWorker> => {
    const worker = queue.newWorker();
    const { idle, claimed } = await worker.exchange({ want: 1 });
    expect([idle, claimed]).toEqual([true, []]);
    return worker;
  };

  it('reaches exactly one of many idle workers, and each enqueue another one', async () => {
    const workers = [await idleWorker(), await idleWorker(), await idleWorker()];
    await queue.add([{}]);
    const first = await ear.drain();
    expect(first).toHaveLength(1);
    await queue.add([{}]);
    const second = await ear.drain();
    expect(second).toHaveLength(1);
    await queue.add([{}]);
    const third = await ear.drain();
    expect([...first, ...second, ...third].toSorted()).toEqual(workers.map(channelOf).toSorted());
    await queue.add([{}]);
    expect(await ear.drain()).toEqual([]);
  });

  it('is one for a whole call, and the worker that gets all it wants wakes the next while jobs are left', async () => {
    const workers = [await idleWorker(), await idleWorker(), await idleWorker()];
    await queue.add([{}, {}, {}, {}]);
    const [woken] = await ear.drain();
    const first = workers.find((worker) => channelOf(worker) === woken);
    expect(first).toBeDefined();
    const reply = await first?.exchange({ want: 2 });
    expect(reply?.claimed).toHaveLength(2);
    expect(await ear.drain()).toHaveLength(1);
    const rest = await workers.find((worker) => worker !== first)?.exchange({ want: 2 });
    expect(rest?.claimed).toHaveLength(2);
    expect(await ear.drain()).toEqual([]);
  });

  it('passes over workers that are gone', async () => {
    const living = await idleWorker();
    for (let i = 0; i < 7; i += 1) await deadWorker();
    await queue.add([{}]);
    expect(await ear.drain()).toEqual([channelOf(living)]);
  });

  it('is heard again by a worker that was not heard for, once it says that it is idle', async () => {
    const worker = await deadWorker();
    const [ulid = ''] = await queue.add([{}]);
    await queue.cancel([ulid]);
    await ear.listenFor(worker);
    expect(await queue.wakesFor([{}])).toBe(false);
    expect((await worker.exchange({ want: 2 })).claimed).toHaveLength(1);
    expect(await queue.wakesFor([{}])).toBe(true);
    expect(await ear.drain()).toEqual([channelOf(worker)]);
  });

  it('tries a bounded number of workers that are gone, and gets further with the next enqueue', async () => {
    const living = await idleWorker();
    for (let i = 0; i < 120; i += 1) await deadWorker();
    const heard: string[] = [];
    for (let i = 0; i < 5 && heard.length === 0; i += 1) {
      await queue.add([{}]);
      heard.push(...(await ear.drain()));
    }
    expect(heard).toEqual([channelOf(living)]);
  });

  it('reaches an idle worker for a job that another hands back, also when that one wants none', async () => {
    await queue.add([{}]);
    const giver = queue.newWorker();
    const { claimed } = await giver.exchange({ want: 1 });
    const worker = await idleWorker();
    const settles = claimed.map((job) => ({ ...job, settlement: { event: 'hand_back', delayMs: 0 } as const }));
    await giver.exchange({ want: 0, settles });
    expect(await ear.drain()).toEqual([channelOf(worker)]);
  });

  it('is for any other worker sooner than for the one that put the job off because an earlier run of it goes on there', async () => {
    await queue.add([{}]);
    const worker = queue.newWorker();
    const [job] = (await worker.exchange({ want: 1 })).claimed;
    if (job === undefined) throw new Error('Nothing was claimed.');
    const [other, told] = [await idleWorker(), await idleWorker()];
    await ear.listenFor(worker);
    const settles = [{ ...job, settlement: { event: 'hand_back', delayMs: 1_000 } as const }];
    expect(await worker.exchange({ want: 1, settles })).toMatchObject({ settled: ['scheduled'], idle: true });
    expect(await ear.drain()).toEqual([channelOf(told)]);
    await queue.moveClock(1_000);
    await queue.promote();
    expect(await ear.drain()).toEqual([channelOf(other)]);
  });

  it('is no business of a worker that finds nothing but what it hands back: it is not idle', async () => {
    await queue.add([{}]);
    const worker = queue.newWorker();
    const { claimed } = await worker.exchange({ want: 1 });
    const settles = claimed.map((job) => ({ ...job, settlement: { event: 'hand_back', delayMs: 0 } as const }));
    expect(await worker.exchange({ want: 1, settles })).toMatchObject({ settled: ['queued'], claimed: [], idle: false });
  });

  it('does not reach a worker that is full', async () => {
    const worker = await idleWorker();
    await queue.add([{}]);
    await ear.drain();
    expect((await worker.exchange({ want: 1 })).idle).toBe(false);
    await queue.add([{}]);
    expect(await ear.drain()).toEqual([]);
  });

  it('reaches a worker that got less than it wanted', async () => {
    const worker = await idleWorker();
    await queue.add([{}]);
    await ear.drain();
    expect((await worker.exchange({ want: 2 })).idle).toBe(true);
    await queue.add([{}]);
    expect(await ear.drain()).toEqual([channelOf(worker)]);
  });

  it('is passed on by a worker that takes no more', async () => {
    const stays = await idleWorker();
    const leaves = await idleWorker();
    await queue.add([{}]);
    expect(await ear.drain()).toEqual([channelOf(leaves)]);
    await leaves.exchange({ want: 'pass_on' });
    expect(await ear.drain()).toEqual([channelOf(stays)]);
    await leaves.exchange({ want: 'pass_on' });
    await queue.add([{}]);
    expect(await ear.drain()).toEqual([]);
  });

  it('comes with promoted jobs', async () => {
    await queue.add([{ when: { delayMs: HOUR } }]);
    const worker = await idleWorker();
    expect((await queue.promote()).moved).toEqual([]);
    expect(await ear.drain()).toEqual([]);
    await queue.moveClock(HOUR);
    expect((await queue.promote()).moved).toHaveLength(1);
    expect(await ear.drain()).toEqual([channelOf(worker)]);
  });

  it('comes with the jobs of a lost worker', async () => {
    const lost = queue.newWorker();
    await queue.add([{}]);
    await lost.exchange({ want: 1 });
    const living = await idleWorker();
    await queue.moveClock(HOUR);
    expect((await queue.reap()).jobs).toHaveLength(1);
    expect(await ear.drain()).toEqual([channelOf(living)]);
  });

  it('comes with the jobs of a blocked worker, to any other than that', async () => {
    const [living, blocked] = [await idleWorker(), queue.newWorker()];
    await ear.listenFor(blocked);
    await queue.add([{}]);
    expect(await ear.drain()).toEqual([channelOf(living)]);
    expect(await blocked.exchange({ want: 2 })).toMatchObject({ claimed: [{}], idle: true });
    await living.exchange({ want: 1 });
    await blocked.exchange({ want: 1 });
    await queue.moveClock(HOUR);
    expect((await queue.crashOverdue(blocked)).jobs).toHaveLength(1);
    expect(await ear.drain()).toEqual([channelOf(living)]);
  });

  it('comes with a replayed job, and with one that an audit lists again', async () => {
    const [ulid = ''] = await queue.add([{}]);
    await queue.cancel([ulid]);
    const [first, second] = [await idleWorker(), await idleWorker()];
    await queue.replay(ulid);
    expect(await ear.drain()).toEqual([channelOf(second)]);
    await queue.redis.del(queue.keys.ready[5] ?? '');
    expect(await audit(queue.link, queue.type, [ulid])).toMatchObject({ relisted: [ulid], woke: true });
    expect(await ear.drain()).toEqual([channelOf(first)]);
  });

  it('reaches a worker that reads a job which another had to leave aside', async () => {
    const reader = queue.newWorker();
    await reader.exchange({ want: 1, version: 2 });
    await ear.listenFor(reader);
    await queue.nextMillisecond();
    const old = await idleWorker();
    await queue.add([{ payloadVersion: 2 }]);
    expect(await ear.drain()).toEqual([channelOf(old)]);
    expect(await old.exchange({ want: 1 })).toMatchObject({ claimed: [], woke: true });
    expect(await ear.drain()).toEqual([channelOf(reader)]);
  });

  it('does not come with a duplicate or with the same submit again', async () => {
    const job = queue.newJob({ dedupe: { policy: 'until_finished', key: 'k' } });
    await queue.enqueue([job]);
    const worker = queue.newWorker();
    await ear.listenFor(worker);
    expect(await worker.exchange({ want: 9 })).toMatchObject({ idle: true, claimed: [{ ulid: job.ulid }] });
    await queue.enqueue([job]);
    await queue.enqueue([queue.newJob({ dedupe: { policy: 'until_finished', key: 'k' } })]);
    expect(await ear.drain()).toEqual([]);
  });

  it('is told of by the submit that sent it', async () => {
    await idleWorker();
    expect([await queue.wakesFor([{}]), await queue.wakesFor([{}])]).toEqual([true, false]);
  });

  it('is told of by the hand-back that sent it', async () => {
    await queue.add([{}]);
    const busy = queue.newWorker();
    const { claimed, woke } = await busy.exchange({ want: 1 });
    expect(woke).toBe(false);
    await idleWorker();
    const settles = claimed.map((job) => ({ ...job, settlement: { event: 'hand_back', delayMs: 0 } as const }));
    expect((await busy.exchange({ settles })).woke).toBe(true);
  });

  it('is told of by the replay that sent it', async () => {
    const [ulid = ''] = await queue.add([{}]);
    await queue.cancel([ulid]);
    await idleWorker();
    await idleWorker();
    const replayOnce = () => replay(queue.link, queue.type, [{ ulid, dedupeTtlMs: 0, record: undefined }]);
    expect([(await replayOnce()).woke, (await replayOnce()).woke]).toEqual([true, false]);
  });

  it('is told of by the promotion that sent it', async () => {
    await queue.add([{ when: { delayMs: HOUR } }]);
    await idleWorker();
    await idleWorker();
    await queue.moveClock(HOUR);
    expect(await queue.promote()).toMatchObject({ moved: [{}], woke: true });
    expect(await queue.promote()).toMatchObject({ moved: [], woke: false });
  });

  it('for the jobs of a lost worker is told of by the call that took them', async () => {
    await queue.add([{}]);
    await queue.newWorker().exchange({ want: 1 });
    await idleWorker();
    await queue.moveClock(HOUR);
    expect(await queue.reap()).toMatchObject({ jobs: [{}], woke: true });
    expect(await queue.reap()).toMatchObject({ jobs: [], woke: false });
  });
});
