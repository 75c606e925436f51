import { heartbeat } from '../../libs/jobs/src/store/heartbeat.js';
import type { Settlement } from '../../libs/jobs/src/store/exchange.js';
import { withFreshQueue } from '../support/fresh-queue.js';
import { LEASE_MS, type StoredQueue, type StoredWorker } from '../support/stored-queue.js';

const HOUR = 3_600_000;
const ERROR_JSON = '{"name":"Error","code":"error","message":"x"}';

describe('a cancel', () => {
  let queue: StoredQueue;
  let worker: StoredWorker;

  withFreshQueue((fresh) => {
    queue = fresh;
    worker = queue.newWorker();
  });

  const statusOf = async (ulid: string): Promise<string> => (await queue.read(ulid)).record.status;

  it('ends a queued, a scheduled and a retrying job at once, and none of them runs any more', async () => {
    const [retrying = ''] = await queue.add([{}]);
    const { claimed } = await worker.exchange({ want: 1 });
    const settlement = { event: 'retry', outcome: 'failed', delayMs: HOUR, json: ERROR_JSON } as const;
    await worker.exchange({ settles: claimed.map((job) => ({ ...job, settlement })) });
    const [queued = '', scheduled = '', other] = await queue.add([{ expiresInMs: 2 * HOUR }, { when: { delayMs: HOUR } }, {}]);
    const answers = await queue.cancel([retrying, queued, scheduled]);
    expect(answers.map((answer) => [answer?.changed, answer?.record.status])).toEqual(answers.map(() => [true, 'cancelled']));
    await queue.moveClock(3 * HOUR);
    expect((await queue.promote()).moved).toEqual([]);
    expect((await worker.exchange({ want: 9 })).claimed.map(({ ulid }) => ulid)).toEqual([other]);
    expect((await queue.depth()).counts).toMatchObject({ queued: 0, scheduled: 0, retrying: 0, cancelled: 3 });
  });

  it('counts no job as queued whose entry is still in its line', async () => {
    const [ulid = ''] = await queue.add([{}, {}]);
    await queue.cancel([ulid]);
    expect((await queue.depth()).counts).toMatchObject({ queued: 1, cancelled: 1 });
  });

  it('frees the dedupe key', async () => {
    const [ulid = ''] = await queue.add([{ dedupe: { policy: 'until_finished', key: 'k' } }]);
    await queue.cancel([ulid]);
    expect(await queue.enqueue([queue.newJob({ dedupe: { policy: 'until_finished', key: 'k' } })])).toMatchObject([
      { kind: 'accepted' },
    ]);
  });

  it('of a job that was removed does not let the same submit take its old place in the line', async () => {
    const job = queue.newJob();
    await queue.enqueue([job]);
    const [next] = await queue.add([{}]);
    await queue.cancel([job.ulid]);
    await queue.remove([job.ulid]);
    await queue.enqueue([job]);
    expect((await worker.exchange({ want: 9 })).claimed.map(({ ulid }) => ulid)).toEqual([next, job.ulid]);
    expect((await queue.depth()).counts.queued).toBe(0);
  });

  it('asks a run to stop, once, and its worker hears of it with the next heartbeat', async () => {
    const [ulid = ''] = await queue.add([{}]);
    await worker.exchange({ want: 1 });
    expect((await queue.cancel([ulid])).map((answer) => [answer?.changed, answer?.record.status])).toEqual([
      [true, 'processing'],
    ]);
    expect((await queue.cancel([ulid])).map((answer) => answer?.changed)).toEqual([false]);
    expect((await queue.read(ulid)).record.cancelRequested).toBe(true);
    const pulse = await heartbeat(queue.link, queue.type, worker.identity.number, LEASE_MS);
    expect(pulse).toEqual({ held: 1, cancels: [ulid] });
  });

  it.each<[Settlement, string]>([
    [{ event: 'succeed', json: '1' }, 'succeeded'],
    [{ event: 'retry', outcome: 'failed', delayMs: 0, json: ERROR_JSON }, 'cancelled'],
    [{ event: 'bury', outcome: 'failed', json: ERROR_JSON }, 'cancelled'],
    [{ event: 'snooze', delayMs: 0, json: ERROR_JSON }, 'cancelled'],
    [{ event: 'hand_back', delayMs: 0 }, 'cancelled'],
  ])('of a run that ends with %j makes the job %s', async (settlement, status) => {
    const [ulid = ''] = await queue.add([{}]);
    const { claimed } = await worker.exchange({ want: 1 });
    await queue.cancel([ulid]);
    const { settled } = await worker.exchange({ settles: claimed.map((job) => ({ ...job, settlement })) });
    expect([settled, await statusOf(ulid)]).toEqual([[status], status]);
    expect(await queue.redis.exists(queue.keys.cancels, queue.keys.leases)).toBe(0);
  });

  it('of a run whose worker dies makes the job cancelled, without another run', async () => {
    const [ulid = ''] = await queue.add([{}]);
    await worker.exchange({ want: 1 });
    await queue.cancel([ulid]);
    await queue.moveClock(LEASE_MS + 1);
    await queue.reap();
    expect(await statusOf(ulid)).toBe('cancelled');
    expect((await queue.newWorker().exchange({ want: 1 })).claimed).toEqual([]);
  });

  it('changes no job that has ended, and says when there is none', async () => {
    const [ulid = ''] = await queue.add([{}]);
    const { claimed } = await worker.exchange({ want: 1 });
    await worker.exchange({ settles: claimed.map((job) => ({ ...job, settlement: { event: 'succeed', json: '' } })) });
    const before = (await queue.read(ulid)).record;
    const [ended, none] = await queue.cancel([ulid, queue.newJob().ulid]);
    expect([ended?.changed, ended?.record.status, none]).toEqual([false, 'succeeded', undefined]);
    expect((await queue.read(ulid)).record).toEqual(before);
  });
});
