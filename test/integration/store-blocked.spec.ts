import type { Job } from '@antrean/jobs';
import { heartbeat } from '../../libs/jobs/src/store/heartbeat.js';
import type { Claimed } from '../../libs/jobs/src/store/exchange.js';
import { describeJob } from '../../libs/jobs/src/services/describe-job.js';
import { withFreshQueue } from '../support/fresh-queue.js';
import { LEASE_MS, type StoredQueue, type StoredWorker } from '../support/stored-queue.js';

const GRACE_MS = 5_000;
const SHORT = { timeoutMs: 10_000 };
const LONG = { timeoutMs: 600_000 };
const OVER_MS = SHORT.timeoutMs + GRACE_MS;

describe('a worker that is blocked while it has several runs', () => {
  let queue: StoredQueue;
  let worker: StoredWorker;
  let blocks: number;

  withFreshQueue((fresh) => {
    queue = fresh;
    blocks = 0;
    worker = queue.newWorker();
  });

  const ulidsOf = (jobs: readonly { readonly ulid: string }[]): string[] => jobs.map(({ ulid }) => ulid);
  const runsOf = async (ulid: string): Promise<Job['runs']> =>
    describeJob({ type: queue.type, ulid }, await queue.read(ulid), []).runs;
  const claim = async (by = queue.newWorker()): Promise<readonly Claimed[]> => (await by.exchange({ want: 9 })).claimed;
  /** Has the worker's runs end past their hard limit so often, one block after the other. */
  const block = async (
    times: number,
    plan: { readonly maxCrashes?: number; readonly blameShared?: boolean } = {},
  ): Promise<void> => {
    for (let time = 1; time <= times; time += 1) {
      while ((await claim(worker)).length > 0);
      blocks += 1;
      await queue.moveClock(blocks * OVER_MS);
      await queue.crashOverdue(worker, plan);
    }
  };

  it('loses those past their hard limit, with the attempt given back and a crash counted; the others go on', async () => {
    const [short = '', long = ''] = await queue.add([SHORT, LONG]);
    await claim(worker);
    await queue.moveClock(OVER_MS - 8_000);
    expect(await queue.crashOverdue(worker)).toEqual({ seen: 2, jobs: [] });
    await queue.moveClock(OVER_MS);
    const { seen, jobs } = await queue.crashOverdue(worker);
    expect([seen, jobs.map(({ ulid, record }) => [ulid, record.status])]).toEqual([2, [[short, 'queued']]]);
    expect((await queue.read(short)).record).toMatchObject({ status: 'queued', attempt: 0, crashes: 1, crashesInAll: 1 });
    expect(await runsOf(short)).toMatchObject([{ number: 1, outcome: 'crashed', workerId: worker.number }]);
    expect((await queue.read(long)).record).toMatchObject({ status: 'processing', attempt: 1, crashes: 0 });
  });

  it('keeps its lease, and the runs of others are not touched', async () => {
    await queue.add([SHORT]);
    await claim(worker);
    const [others = ''] = await queue.add([SHORT]);
    await claim();
    await queue.moveClock(OVER_MS);
    await queue.crashOverdue(worker);
    expect((await queue.read(others)).record.status).toBe('processing');
    expect(await heartbeat(queue.link, queue.type, worker.identity.number, LEASE_MS)).toMatchObject({ held: 0 });
  });

  it('changes nothing by what it says later of them', async () => {
    const [ulid = ''] = await queue.add([SHORT]);
    const [job] = await claim(worker);
    if (job === undefined) throw new Error('Nothing was claimed.');
    await queue.moveClock(OVER_MS);
    await queue.crashOverdue(worker);
    const late = { settles: [{ ...job, settlement: { event: 'succeed', json: '1' } as const }] };
    expect((await worker.exchange(late)).settled).toEqual(['stale']);
    expect((await worker.exchange({ ...late, call: worker.lastCall() })).settled).toEqual(['unknown']);
    expect(await queue.note([{ ...job, kind: 'checkpoint', json: '1' }])).toEqual([false]);
    expect((await queue.read(ulid)).record).toMatchObject({ status: 'queued', crashes: 1 });
  });

  it('leaves them to others ahead of fresh ones, the oldest first', async () => {
    const ulids = await queue.add([SHORT, SHORT, SHORT]);
    await claim(worker);
    const [fresh] = await queue.add([{}]);
    await queue.moveClock(OVER_MS);
    await queue.crashOverdue(worker);
    expect(ulidsOf(await claim())).toEqual([...ulids, fresh]);
  });

  it('loses them page by page', async () => {
    await queue.add([SHORT, LONG, SHORT, SHORT]);
    await claim(worker);
    await queue.moveClock(OVER_MS);
    const pages = [await queue.crashOverdue(worker, { limit: 2 }), await queue.crashOverdue(worker, { offset: 1, limit: 3 })];
    expect(pages.map(({ seen, jobs }) => [seen, jobs.length])).toEqual([
      [2, 1],
      [2, 2],
    ]);
  });

  it('loses them although one of its jobs is gone', async () => {
    const [gone = '', ulid = ''] = await queue.add([SHORT, SHORT]);
    await claim(worker);
    await queue.redis.del(queue.keys.job(gone));
    await queue.moveClock(OVER_MS);
    expect(ulidsOf((await queue.crashOverdue(worker)).jobs)).toEqual([ulid]);
  });

  it('makes suspects of them one crash short of a burial, which the next one brings', async () => {
    const ulids = await queue.add([SHORT, SHORT]);
    await block(2);
    expect((await worker.exchange({ want: 9, suspects: false })).claimed).toEqual([]);
    expect(ulidsOf(await claim(worker))).toEqual(ulids.slice(0, 1));
    await queue.moveClock(3 * OVER_MS);
    await queue.crashOverdue(worker);
    const [first = '', second = ''] = ulids;
    expect((await queue.read(first)).record).toMatchObject({ status: 'failed', crashes: 3 });
    expect((await runsOf(first)).map(({ outcome }) => outcome)).toEqual(['crashed', 'crashed', 'crashed']);
    expect((await queue.read(second)).record).toMatchObject({ status: 'queued', crashes: 2, suspect: true });
  });

  it('does not have them buried soon where others may be what blocks: their crashes count among all of them only', async () => {
    const [ulid = ''] = await queue.add([SHORT]);
    await block(9, { blameShared: true });
    expect((await queue.read(ulid)).record).toMatchObject({ status: 'queued', crashes: 0, crashesInAll: 9, suspect: false });
    await block(1, { blameShared: true });
    expect((await queue.read(ulid)).record).toMatchObject({ status: 'queued', crashes: 0, crashesInAll: 10, suspect: true });
    await block(1, { blameShared: true });
    expect((await queue.read(ulid)).record).toMatchObject({ status: 'failed', crashes: 0, crashesInAll: 11 });
  });

  it('makes no suspects of them for that, though one crash of their own would bury them', async () => {
    const [ulid = ''] = await queue.add([SHORT]);
    await block(1, { maxCrashes: 1, blameShared: true });
    expect((await queue.read(ulid)).record).toMatchObject({ status: 'queued', suspect: false });
  });

  it('cancels the run that was asked to stop', async () => {
    const [ulid = ''] = await queue.add([SHORT]);
    await claim(worker);
    await queue.cancel([ulid]);
    await queue.moveClock(OVER_MS);
    expect((await queue.crashOverdue(worker)).jobs).toMatchObject([{ record: { status: 'cancelled' } }]);
    expect(await queue.redis.exists(queue.keys.cancels)).toBe(0);
  });

  it('does not keep what is not to be kept', async () => {
    const [buried = ''] = await queue.add([SHORT]);
    await claim(worker);
    await queue.moveClock(OVER_MS);
    await queue.crashOverdue(worker, { maxCrashes: 1, keepFailed: false });
    expect(await queue.find(buried)).toBeUndefined();
    const [stopped = ''] = await queue.add([SHORT]);
    await claim(worker);
    await queue.cancel([stopped]);
    await queue.moveClock(2 * OVER_MS);
    await queue.crashOverdue(worker, { keepFinished: false });
    expect(await queue.find(stopped)).toBeUndefined();
  });

  it('leaves the deadline of a job that waits again', async () => {
    const [ulid = ''] = await queue.add([{ ...SHORT, expiresInMs: 2 * OVER_MS }]);
    await block(1);
    await queue.moveClock(2 * OVER_MS + 1_000);
    expect((await queue.promote()).moved).toMatchObject([{ ulid, record: { status: 'expired' } }]);
  });
});
