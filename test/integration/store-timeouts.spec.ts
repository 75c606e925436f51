import { fixed } from '../../libs/jobs/src/definition/retry-policy.js';
import { HEARTBEAT_LANE, TimedOutRuns, type TimedOutPolicy } from '../../libs/jobs/src/runtime/timed-out-runs.js';
import { heartbeat } from '../../libs/jobs/src/store/heartbeat.js';
import { overdue } from '../../libs/jobs/src/store/overdue.js';
import { withFreshQueue } from '../support/fresh-queue.js';
import { reaperOf } from '../support/reaper-of.js';
import { LEASE_MS, type StoredQueue, type StoredWorker } from '../support/stored-queue.js';

const GRACE_MS = 30_000;
const SHORT = { timeoutMs: 10_000 };
const LONG = { timeoutMs: 600_000 };
const TIMED_OUT = { event: 'retry', outcome: 'timed_out', delayMs: 0, json: '{}' } as const;

describe('a run past its timeout and grace', () => {
  let queue: StoredQueue;
  let worker: StoredWorker;

  withFreshQueue((fresh) => {
    queue = fresh;
    worker = queue.newWorker();
  });

  const ulidsOf = (jobs: readonly { readonly ulid: string }[]): string[] => jobs.map(({ ulid }) => ulid);
  const beat = () => heartbeat(queue.link, queue.type, worker.identity.number, LEASE_MS);
  const look = (page = { offset: 0, limit: 250 }) =>
    overdue(queue.link, queue.type, worker.identity.number, { graceMs: GRACE_MS, ...page });

  const newReaper = (options: { isolation?: 'thread'; leaseMs?: number } = {}) =>
    reaperOf(queue, { graceMs: GRACE_MS, leaseMs: LEASE_MS, ...options });

  it('is overdue; one within them, or of another worker, is not', async () => {
    const [short] = await queue.add([SHORT, LONG]);
    await worker.exchange({ want: 2 });
    await queue.add([SHORT]);
    await queue.newWorker().exchange({ want: 1 });
    await queue.moveClock(SHORT.timeoutMs + GRACE_MS - 20_000);
    expect(await look()).toEqual({ seen: 2, jobs: [] });
    await queue.moveClock(SHORT.timeoutMs + GRACE_MS);
    expect(ulidsOf((await look()).jobs)).toEqual([short]);
  });

  it('is found page by page', async () => {
    const ulids = await queue.add([SHORT, SHORT, SHORT]);
    await worker.exchange({ want: 3 });
    await queue.moveClock(SHORT.timeoutMs + GRACE_MS);
    const pages = [await look({ offset: 0, limit: 2 }), await look({ offset: 2, limit: 2 })];
    expect(pages.map(({ seen }) => seen)).toEqual([2, 1]);
    expect(pages.flatMap(({ jobs }) => ulidsOf(jobs)).sort()).toEqual(ulids.toSorted());
  });

  it.each<[string, { isolation?: 'thread' }, string, object]>([
    [
      'of a type that runs in threads crashed with its worker: it may have waited for its thread',
      { isolation: 'thread' },
      'crashed',
      { crashes: 1 },
    ],
    ['of another type timed out', {}, 'timed out', { crashes: 0, attempt: 1 }],
  ])('%s', async (_what, isolation, end, expected) => {
    const [ulid = ''] = await queue.add([SHORT]);
    await worker.exchange({ want: 1 });
    await queue.moveClock(SHORT.timeoutMs + GRACE_MS);
    await beat();
    await queue.moveClock(SHORT.timeoutMs + GRACE_MS + LEASE_MS + 1_000);
    const { reaper, told, retries } = newReaper(isolation);
    // The first tick gives living workers time to be heard.
    for (let tick = 0; tick < 2; tick += 1) await reaper.tick();
    expect((await queue.read(ulid)).record).toMatchObject(expected);
    expect([told, retries.lookedFor]).toEqual([[end], end === 'timed out' ? 1 : 0]);
  });

  it('when its worker was last heard of is left by the reaper to be settled as timed out; the others crashed', async () => {
    const [short = '', long = ''] = await queue.add([SHORT, LONG]);
    const { claimed } = await worker.exchange({ want: 2 });
    await queue.moveClock(SHORT.timeoutMs + GRACE_MS);
    await beat();
    await queue.moveClock(SHORT.timeoutMs + GRACE_MS + LEASE_MS + 1_000);
    const reaped = await queue.reap({ graceMs: GRACE_MS });
    expect([ulidsOf(reaped.timedOut), ulidsOf(reaped.jobs)]).toEqual([[short], [long]]);
    expect((await queue.read(short)).record).toMatchObject({ status: 'processing', crashes: 0 });
    expect((await queue.read(long)).record).toMatchObject({ status: 'queued', crashes: 1 });

    const reaper = queue.newWorker();
    const late = claimed.filter(({ ulid }) => ulid === short).map((job) => ({ ...job, settlement: TIMED_OUT }));
    expect((await reaper.exchange({ settles: late })).settled).toEqual(['retrying']);
    expect(await queue.reap({ graceMs: GRACE_MS })).toMatchObject({ workerNumber: worker.number, timedOut: [], jobs: [] });
    expect(await queue.redis.exists(queue.keys.leases, queue.keys.lanes)).toBe(1);
    expect((await queue.reap()).workerNumber).toBeUndefined();
  });

  it('is settled by the reaper also when its record cannot be read, and those of other workers are reaped', async () => {
    const [spoilt = ''] = await queue.add([{ ...SHORT, facts: { userId: 'budi' } }]);
    await worker.exchange({ want: 1 });
    await queue.moveClock(SHORT.timeoutMs + GRACE_MS);
    await beat();
    // Heard of later than the first, and so reaped after it.
    await queue.moveClock(SHORT.timeoutMs + GRACE_MS + 1_000);
    const [other = ''] = await queue.add([LONG]);
    await queue.newWorker().exchange({ want: 1 });
    await queue.spoilFacts(spoilt);
    await queue.moveClock(SHORT.timeoutMs + GRACE_MS + 2 * LEASE_MS);
    const { reaper, told } = newReaper();
    for (let tick = 0; tick < 4; tick += 1) await reaper.tick();
    const { retrying, queued, processing } = (await queue.depth()).counts;
    expect({ retrying, queued, processing }).toEqual({ retrying: 1, queued: 1, processing: 0 });
    expect((await queue.read(other)).record).toMatchObject({ status: 'queued', crashes: 1 });
    expect(told).toEqual(['timed out', 'crashed']);
  });

  it('is settled by the heartbeat thread also when its record cannot be read', async () => {
    const [ulid = ''] = await queue.add([{ ...SHORT, facts: { userId: 'budi' } }]);
    await worker.exchange({ want: 1 });
    await queue.spoilFacts(ulid);
    await queue.moveClock(SHORT.timeoutMs + GRACE_MS);
    const { link, type } = queue;
    const keep = { keepFinished: true, keepFailed: true };
    const runs = new TimedOutRuns({ link, worker: worker.identity, lane: HEARTBEAT_LANE, leaseMs: LEASE_MS, ...keep });
    const policy: TimedOutPolicy = { type, version: 1, graceMs: GRACE_MS, retry: fixed('1s') };
    expect(ulidsOf(await runs.settleOverdue(policy, worker.identity.number))).toEqual([ulid]);
    expect((await queue.depth()).counts).toMatchObject({ processing: 0, retrying: 1 });
  });

  it('only after its worker was last heard of crashed with it', async () => {
    const [ulid = ''] = await queue.add([SHORT]);
    await worker.exchange({ want: 1 });
    await queue.moveClock(SHORT.timeoutMs + GRACE_MS + LEASE_MS);
    expect(await queue.reap({ graceMs: GRACE_MS })).toMatchObject({ timedOut: [], jobs: [{ ulid }] });
  });

  it('and any other run of a dead worker waits five seconds at most for a reaper that has just started, however long a lease is', async () => {
    await queue.add([LONG]);
    await worker.exchange({ want: 1 });
    const { reaper, told } = newReaper({ leaseMs: 3_600_000 });
    await queue.moveClock(LEASE_MS + 1_000);
    expect(await reaper.tick()).toBeLessThanOrEqual(5_000);
    await reaper.tick();
    expect(told).toEqual(['crashed']);
  });

  it('is settled by a heartbeat thread that was started anew, too', async () => {
    const ulids = await queue.add([SHORT, SHORT, SHORT]);
    const threadOf = () =>
      new TimedOutRuns({
        link: queue.link,
        worker: worker.identity,
        lane: HEARTBEAT_LANE,
        leaseMs: LEASE_MS,
        keepFinished: true,
        keepFailed: true,
      });
    const policy: TimedOutPolicy = { type: queue.type, version: 1, graceMs: GRACE_MS, retry: fixed('1s') };
    const first = threadOf();
    const settled = [];
    for (const thread of [first, first, threadOf()]) {
      await worker.exchange({ want: 1 });
      await queue.moveClock(SHORT.timeoutMs + GRACE_MS);
      settled.push(...(await thread.settleOverdue(policy, worker.identity.number)));
      await queue.moveClock(0);
    }
    expect(ulidsOf(settled)).toEqual(ulids);
    expect((await queue.depth()).counts).toMatchObject({ processing: 0, retrying: 3 });
  });

  it('is known as one also after a wake-up was sent to its dead worker', async () => {
    const [ulid = ''] = await queue.add([SHORT]);
    expect((await worker.exchange({ want: 2 })).idle).toBe(true);
    await queue.moveClock(SHORT.timeoutMs + GRACE_MS);
    await beat();
    await queue.add([LONG]);
    await queue.moveClock(SHORT.timeoutMs + GRACE_MS + LEASE_MS + 1_000);
    expect(ulidsOf((await queue.reap({ graceMs: GRACE_MS })).timedOut)).toEqual([ulid]);
  });
});
