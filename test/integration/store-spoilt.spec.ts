import { overdue } from '../../libs/jobs/src/store/overdue.js';
import { reconcile } from '../../libs/jobs/src/store/reconcile.js';
import { wait } from '../../libs/jobs/src/store/wait.js';
import { withFreshQueue } from '../support/fresh-queue.js';
import { LEASE_MS, type JobPlan, type StoredQueue, type StoredWorker } from '../support/stored-queue.js';

const HOUR_MS = 3_600_000;
/** The fixed part of a record has 114 bytes; 57 of them tell its state. */
const SPOILT = { empty: '', short: 'xx', 'a state alone': `\u0001q${'\0'.repeat(55)}`, 'one byte short': 'x'.repeat(113) };

describe.each([...Object.keys(SPOILT), 'no string'] as const)('a job whose record is none is passed over: %s', (what) => {
  let queue: StoredQueue;
  let worker: StoredWorker;

  withFreshQueue((fresh) => {
    queue = fresh;
    worker = queue.newWorker();
  });

  const spoil = async (ulid: string): Promise<void> => {
    const key = queue.keys.job(ulid);
    await queue.redis.del(key);
    if (what === 'no string') await queue.redis.hset(key, 'a', 'hash');
    else await queue.redis.set(key, SPOILT[what as keyof typeof SPOILT]);
  };
  /** Ulids of jobs, the first of which is spoilt. */
  const addSpoilt = async (plan: JobPlan): Promise<[string, string]> => {
    const [spoilt = '', other = ''] = await queue.add([plan, plan]);
    await spoil(spoilt);
    return [spoilt, other];
  };
  const claim = async (plan: Parameters<StoredWorker['exchange']>[0] = {}) =>
    (await worker.exchange({ want: 9, ...plan })).claimed.map(({ ulid }) => ulid);
  /** Runs of jobs, the first of which is spoilt then. */
  const runSpoilt = async (plan: JobPlan = {}) => {
    await queue.add([plan, plan]);
    const { claimed } = await worker.exchange({ want: 2 });
    const [spoilt, other] = claimed;
    if (spoilt === undefined || other === undefined) throw new Error('Too little was claimed.');
    await spoil(spoilt.ulid);
    return { claimed, spoilt: spoilt.ulid, other: other.ulid };
  };

  it('by a claim, which stays for an engineer to look at', async () => {
    const [spoilt, other] = await addSpoilt({});
    expect(await claim()).toEqual([other]);
    expect(await queue.redis.exists(queue.keys.job(spoilt))).toBe(1);
    expect((await queue.depth()).counts).toMatchObject({ queued: 0, processing: 1 });
  });

  it('by a claim of parked jobs', async () => {
    const [spoilt = '', other = ''] = await queue.add([{ payloadVersion: 2 }, { payloadVersion: 2 }]);
    expect(await claim()).toEqual([]);
    await spoil(spoilt);
    expect(await claim({ version: 2 })).toEqual([other]);
    expect(await queue.redis.zcard(queue.keys.parked)).toBe(0);
  });

  it('by a settle, a call that is answered again, and what a handler tells', async () => {
    const { claimed, other } = await runSpoilt();
    expect(await claim({ call: worker.lastCall(), want: 2 })).toEqual([other]);
    expect(await queue.note(claimed.map((job) => ({ ...job, kind: 'log', json: '{}' })))).toEqual([false, true]);
    const settles = claimed.map((job) => ({ ...job, settlement: { event: 'succeed', json: '1' } }) as const);
    expect((await worker.exchange({ settles })).settled).toEqual(['stale', 'succeeded']);
  });

  it('by a reconcile, and by a look for overdue runs', async () => {
    const { spoilt, other } = await runSpoilt();
    const { number: workerNumber } = worker.identity;
    const page = { offset: 0, limit: 9 };
    await queue.moveClock(HOUR_MS);
    const { jobs } = await overdue(queue.link, queue.type, workerNumber, { graceMs: 0, ...page });
    expect(jobs.map(({ ulid }) => ulid)).toEqual([other]);
    const call = { type: queue.type, workerNumber, lane: 0, call: 9, leaseMs: LEASE_MS, after: '', limit: 9 };
    expect((await reconcile(queue.link, call)).held.map(({ ulid }) => ulid)).toEqual([other]);
    expect(await queue.redis.zscore(queue.keys.running, spoilt)).toBeNull();
  });

  it('by a reaper, and when runs are taken from a blocked worker', async () => {
    const { other } = await runSpoilt({ timeoutMs: 1_000 });
    const { other: reaped } = await runSpoilt();
    await queue.moveClock(LEASE_MS + 1);
    const { jobs } = await queue.crashOverdue(worker, { graceMs: 25_000 });
    expect(jobs.map(({ ulid }) => ulid)).toEqual([other]);
    expect((await queue.reap()).jobs.map(({ ulid }) => ulid)).toEqual([reaped]);
    expect(await queue.redis.zcard(queue.keys.running)).toBe(0);
  });

  it.each<JobPlan>([{ when: { delayMs: 1_000 } }, { expiresInMs: 1_000 }])('once its time has come: %j', async (plan) => {
    const [, other] = await addSpoilt(plan);
    await queue.moveClock(2_000);
    expect((await queue.promote()).moved.map(({ ulid }) => ulid)).toEqual([other]);
    expect(await queue.redis.exists(queue.keys.scheduled, queue.keys.expiring)).toBe(0);
  });

  it('by who cancels, replays or removes it, or waits for it', async () => {
    const [spoilt, other] = await addSpoilt({});
    expect((await queue.cancel([spoilt, other])).map((cancelled) => cancelled?.changed)).toEqual([undefined, true]);
    expect(await wait(queue.link, queue.type, spoilt)).toBe(false);
    expect(await queue.replay(spoilt)).toEqual({ kind: 'unknown' });
    expect(await queue.remove([spoilt, other])).toEqual([undefined, 'cancelled']);
  });

  it('by a sweep, which removes it when its retention is over', async () => {
    const [spoilt, other] = (await runSpoilt()).claimed.map(({ ulid }) => ulid) as [string, string];
    await queue.redis.zadd(queue.keys.succeeded, 1, spoilt);
    await queue.redis.zadd(queue.keys.succeeded, 2, other);
    expect(await queue.sweep(0, 0)).toMatchObject({ removed: 2 });
    expect(await queue.redis.exists(queue.keys.job(spoilt))).toBe(0);
  });

  it('by a submit whose dedupe key it held, and is made anew by one of its own', async () => {
    const dedupe = { key: 'k', policy: 'until_finished' } as const;
    const job = queue.newJob({ dedupe });
    await queue.enqueue([job]);
    await spoil(job.ulid);
    expect((await queue.enqueue([queue.newJob({ dedupe })])).map(({ kind }) => kind)).toEqual(['accepted']);
    const again = queue.newJob({ ulid: job.ulid });
    expect((await queue.enqueue([again])).map(({ kind }) => kind)).toEqual(['accepted']);
    expect((await queue.read(job.ulid)).record.status).toBe('queued');
  });
});
