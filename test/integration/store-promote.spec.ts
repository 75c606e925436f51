import { Promoter } from '../../libs/jobs/src/maintenance/promoter.js';
import { EnqueueBatcher } from '../../libs/jobs/src/services/enqueue-batcher.js';
import { Rouser } from '../../libs/jobs/src/services/rouser.js';
import { promote } from '../../libs/jobs/src/store/promote.js';
import { ReplicaGate } from '../../libs/jobs/src/store/replicated.js';
import { JobJournal } from '../../libs/jobs/src/telemetry/job-journal.js';
import { silentLogger } from '../support/shared-redis.js';
import { LEASE_MS, StoredQueue } from '../support/stored-queue.js';

const pace = { jobs: 10, windowMs: 60_000 };

describe('a promotion at a pace', () => {
  let queue: StoredQueue;

  beforeEach(async () => {
    queue = await StoredQueue.open();
    await queue.add(Array.from({ length: 25 }, () => ({ when: { delayMs: 1 } })));
  });

  afterEach(async () => {
    await queue.close();
  });

  /** In the middle of a window, so that no few milliseconds lead out of it. */
  const inWindow = async (window: number) => {
    const middle = (Math.floor(Date.now() / pace.windowMs) + window + 1.5) * pace.windowMs;
    await queue.moveClock(Math.round(middle - Date.now()));
  };
  const step = (limit = 250) => promote(queue.link, queue.type, { limit, keepFinished: true, pace });

  it('lets so many jobs queue within a window, whoever moves them, and the rest later', async () => {
    await inWindow(0);
    expect((await step(4)).moved).toHaveLength(4);
    const second = await step();
    expect(second.moved).toHaveLength(6);
    expect((await step()).moved).toHaveLength(0);
    await inWindow(1);
    expect((await step()).moved).toHaveLength(10);
    await inWindow(2);
    expect(await step()).toMatchObject({ nextDueInMs: undefined, moved: { length: 5 } });
  });

  it('says when the next window begins while jobs are due', async () => {
    await inWindow(0);
    expect(await step(4)).toMatchObject({ nextDueInMs: 0, paced: false });
    const { nextDueInMs = 0, paced } = await step();
    expect(paced).toBe(true);
    expect(nextDueInMs).toBeGreaterThan(0);
    expect(nextDueInMs).toBeLessThanOrEqual(pace.windowMs / 2);
  });

  it('is not tried again before the next window, whoever says that jobs are due', async () => {
    await queue.add(Array.from({ length: 600 }, () => ({ when: { delayMs: 1 } })));
    await queue.moveClock(1_000);
    const rouser = new Rouser(queue.link, { logger: silentLogger });
    const context = {
      link: queue.link,
      worker: queue.newWorker().identity,
      // It uses nothing else of a worker's options, and what it tells is not looked at here.
      options: { logger: silentLogger, retentionMs: 60_000 } as ConstructorParameters<typeof Promoter>[1]['options'],
      rouser,
      batcher: new EnqueueBatcher(queue.link, rouser, new ReplicaGate(queue.link), {}),
      journal: Object.assign(Object.create(JobJournal.prototype) as JobJournal, { moved: () => undefined }),
    };
    const promoter = new Promoter(queue.type, context, () => undefined);
    let restMs = 0;
    while (restMs === 0) restMs = await promoter.tick();
    expect(restMs).toBeLessThanOrEqual(20);
    expect(promoter.notBefore).toBeGreaterThan(performance.now() + restMs - 5);
    while ((await queue.depth()).counts.scheduled > 0) await promoter.tick();
    expect(await promoter.tick()).toBe(30_000);
    expect(promoter.notBefore).toBeLessThanOrEqual(performance.now() + 20);
  });

  it('lets jobs expire all the same', async () => {
    await queue.add(Array.from({ length: 5 }, () => ({ expiresInMs: 10 })));
    await inWindow(0);
    await step();
    await queue.add(Array.from({ length: 5 }, () => ({ expiresInMs: 1_000 })));
    await queue.moveClock(Math.round((Math.floor(Date.now() / pace.windowMs) + 1.5) * pace.windowMs - Date.now()) + 1_500);
    expect((await step()).moved.map(({ record }) => record.status)).toEqual(Array.from({ length: 5 }, () => 'expired'));
  });
});

describe('jobs whose time has come', () => {
  it('are moved in the order of their times, whether they were scheduled or are retried', async () => {
    const queue = await StoredQueue.open();
    const worker = queue.newWorker();
    const [retried = ''] = await queue.add([{}]);
    const settlement = { event: 'retry', outcome: 'failed', delayMs: 1_500, json: '{}' } as const;
    await worker.exchange({ settles: (await worker.exchange({ want: 1 })).claimed.map((job) => ({ ...job, settlement })) });
    const [late, early] = await queue.add([{ when: { delayMs: 3_000 } }, { when: { delayMs: 1_000 } }]);
    await queue.moveClock(4_000);
    const moved = [...(await queue.promote(2)).moved, ...(await queue.promote(2)).moved];
    expect(moved.map(({ ulid }) => ulid)).toEqual([early, retried, late]);
    await queue.close();
  });

  it('are moved, cancelled and taken from their worker, and told of, also when one of them cannot be read', async () => {
    const queue = await StoredQueue.open();
    const facts = { userId: 'budi' };
    const [spoilt = '', other = ''] = await queue.add([
      { when: { delayMs: 1 }, facts },
      { when: { delayMs: 2 }, facts },
    ]);
    await queue.spoilFacts(spoilt);
    await queue.moveClock(1_000);
    expect((await queue.promote()).moved.map(({ ulid, record }) => [ulid, record.status])).toEqual([
      [spoilt, 'queued'],
      [other, 'queued'],
    ]);
    await queue.newWorker().exchange({ want: 2 });
    await queue.moveClock(LEASE_MS + 2_000);
    expect((await queue.reap()).jobs.map(({ ulid, record }) => [ulid, record.facts]).sort()).toEqual(
      [
        [spoilt, {}],
        [other, facts],
      ].sort(),
    );
    const cancelled = await queue.cancel([spoilt, other]);
    expect(cancelled.map((one) => [one?.changed, one?.record.status])).toEqual(Array(2).fill([true, 'cancelled']));
    await queue.close();
  });

  it('join the back of their line in the order of their times, with new places in the sequence', async () => {
    const queue = await StoredQueue.open();
    const [late = '', early = '', before = ''] = await queue.add([
      { when: { delayMs: 2_000 } },
      { when: { delayMs: 1_000 } },
      {},
    ]);
    await queue.moveClock(2_000);
    await queue.promote();
    const [after = ''] = await queue.add([{}]);
    const { claimed } = await queue.newWorker().exchange({ want: 9 });
    expect(claimed.map(({ ulid, record }) => [ulid, record.seq])).toEqual([
      [before, 3],
      [early, 4],
      [late, 5],
      [after, 6],
    ]);
    await queue.close();
  });
});
