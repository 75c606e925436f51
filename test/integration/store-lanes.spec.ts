import type { Claimed, Settle, Settlement } from '../../libs/jobs/src/store/exchange.js';
import { MAX_JOBS_PER_CALL } from '../../libs/jobs/src/store/bounds.js';
import { withFreshQueue } from '../support/fresh-queue.js';
import { LEASE_MS, type StoredQueue, type StoredWorker } from '../support/stored-queue.js';
import { viewQueue } from '../support/queue-view.js';

const ERROR_JSON = '{"name":"Error","code":"error","message":"x"}';
const ulidsOf = (claimed: readonly Claimed[]): string[] => claimed.map(({ ulid }) => ulid);

const SETTLEMENTS: readonly Settlement[] = [
  { event: 'succeed', json: '{"late":true}' },
  { event: 'retry', outcome: 'failed', delayMs: 0, json: ERROR_JSON },
  { event: 'bury', outcome: 'failed', json: ERROR_JSON },
  { event: 'snooze', delayMs: 0, json: ERROR_JSON },
  { event: 'hand_back', delayMs: 0 },
];

describe('a call', () => {
  let queue: StoredQueue;
  let worker: StoredWorker;

  withFreshQueue((fresh) => {
    queue = fresh;
    worker = queue.newWorker();
  });

  const claimOne = async (): Promise<Claimed> => {
    const [job] = (await worker.exchange({ want: 1 })).claimed;
    if (job === undefined) throw new Error('Nothing was claimed.');
    return job;
  };
  const settleOf = ({ ulid, token }: Pick<Claimed, 'ulid' | 'token'>, settlement: Settlement): Settle => ({
    ulid,
    token,
    settlement,
  });

  it('whose answer was lost is answered again with the same jobs, payloads included, and takes no others', async () => {
    await queue.add(Array.from({ length: 5 }, (_, number) => ({ payloadJson: JSON.stringify({ number, text: '€😀' }) })));
    const first = await worker.exchange({ call: 1, want: 3 });
    const again = await worker.exchange({ call: 1, want: 3 });
    expect(again.claimed).toEqual(first.claimed);
    expect(again.claimed.map(({ record }) => record.payloadJson)).toContain('{"number":2,"text":"€😀"}');
    expect((await queue.depth()).counts).toMatchObject({ queued: 2, processing: 3 });
  });

  it('that settles has one effect when it is sent again, and says what became of the run while that is known', async () => {
    const [ulid = ''] = await queue.add([{}]);
    const settles = [settleOf(await claimOne(), { event: 'retry', outcome: 'failed', delayMs: 60_000, json: ERROR_JSON })];
    expect((await worker.exchange({ call: 2, settles })).settled).toEqual(['retrying']);
    const after = await queue.read(ulid);
    expect((await worker.exchange({ call: 2, settles })).settled).toEqual(['retrying']);
    expect(await queue.read(ulid)).toEqual({ ...after, now: expect.any(Number) as number });
    await queue.moveClock(60_001);
    await queue.promote();
    await queue.newWorker().exchange({ want: 1 });
    expect((await worker.exchange({ call: 2, settles })).settled).toEqual(['unknown']);
  });

  it('that settled too late, after the run was taken away, says so again when it is sent again', async () => {
    await queue.add([{}]);
    const late = settleOf(await claimOne(), { event: 'succeed', json: '' });
    await queue.moveClock(LEASE_MS + 1);
    await queue.reap();
    expect((await worker.exchange({ call: 7, settles: [late] })).settled).toEqual(['stale']);
    expect((await worker.exchange({ call: 7, settles: [late] })).settled).toEqual(['unknown']);
  });

  it('that is sent again names only the jobs that still stand under it', async () => {
    await queue.add([{}, {}, {}]);
    const first = await worker.exchange({ call: 1, want: 3 });
    const [settled, ...left] = first.claimed;
    if (settled === undefined) throw new Error('Nothing was claimed.');
    await worker.exchange({ lane: 1, settles: [settleOf(settled, { event: 'succeed', json: '' })] });
    expect((await worker.exchange({ call: 1, want: 3 })).claimed).toEqual(left);
  });

  it('that was overtaken by the next one is refused, and gaps are not', async () => {
    const ulids = await queue.add([{}, {}]);
    expect(ulidsOf((await worker.exchange({ call: 7, want: 1 })).claimed)).toEqual(ulids.slice(0, 1));
    for (const call of [6, 1]) await expect(worker.exchange({ call, want: 1 })).rejects.toThrow(/^STALE /);
    expect((await queue.depth()).counts).toMatchObject({ queued: 1, processing: 1 });
    expect(ulidsOf((await worker.exchange({ call: 70, want: 1 })).claimed)).toEqual(ulids.slice(1));
  });

  it('is numbered in its lane alone', async () => {
    await queue.add([{}, {}, {}]);
    await worker.exchange({ lane: 0, call: 5, want: 1 });
    expect((await worker.exchange({ lane: 1, call: 1, want: 1 })).claimed).toHaveLength(1);
    expect((await queue.newWorker().exchange({ lane: 0, call: 1, want: 1 })).claimed).toHaveLength(1);
  });

  it.each(SETTLEMENTS)('that settles late changes nothing, once the job runs elsewhere: $event', async (settlement) => {
    const [ulid = ''] = await queue.add([{}]);
    const late = settleOf(await claimOne(), settlement);
    await queue.moveClock(LEASE_MS + 1);
    await queue.reap();
    await queue.newWorker().exchange({ want: 1 });
    const before = await viewQueue(queue, [ulid]);
    expect((await worker.exchange({ settles: [late] })).settled).toEqual(['stale']);
    const after = await viewQueue(queue, [ulid]);
    expect(after.jobs).toEqual(before.jobs);
  });

  it.each(SETTLEMENTS)('that settles late changes nothing, while the job waits to run again: $event', async (settlement) => {
    const [ulid = ''] = await queue.add([{}]);
    const late = settleOf(await claimOne(), settlement);
    await queue.moveClock(LEASE_MS + 1);
    await queue.reap();
    const before = await viewQueue(queue, [ulid]);
    expect((await worker.exchange({ settles: [late] })).settled).toEqual(['stale']);
    expect((await viewQueue(queue, [ulid])).jobs).toEqual(before.jobs);
  });

  it.each(SETTLEMENTS)('that settles late does not bring a removed job back: $event', async (settlement) => {
    const [ulid = ''] = await queue.add([{}]);
    const job = await claimOne();
    await worker.exchange({ keepFinished: false, settles: [settleOf(job, { event: 'succeed', json: '' })] });
    expect((await worker.exchange({ settles: [settleOf(job, settlement)] })).settled).toEqual(['stale']);
    expect(await queue.find(ulid)).toBeUndefined();
    expect((await viewQueue(queue, [ulid])).remains).toEqual([]);
  });

  it.each(SETTLEMENTS)('that settles an earlier run of its own worker changes nothing: $event', async (settlement) => {
    const [ulid = ''] = await queue.add([{}]);
    const early = settleOf(await claimOne(), settlement);
    await worker.exchange({ settles: [settleOf(early, { event: 'hand_back', delayMs: 0 })] });
    await claimOne();
    const before = await viewQueue(queue, [ulid]);
    expect((await worker.exchange({ settles: [early] })).settled).toEqual(['stale']);
    expect((await viewQueue(queue, [ulid])).jobs).toEqual(before.jobs);
  });

  it('that settles a run twice settles it once', async () => {
    const [ulid = ''] = await queue.add([{}]);
    const job = await claimOne();
    const settles = [
      settleOf(job, { event: 'succeed', json: '' }),
      settleOf(job, { event: 'bury', outcome: 'failed', json: ERROR_JSON }),
    ];
    expect((await worker.exchange({ settles })).settled).toEqual(['succeeded', 'stale']);
    expect((await viewQueue(queue, [ulid])).jobs.get(ulid)).toMatchObject({
      record: { status: 'succeeded' },
      places: ['succeeded'],
    });
  });

  it('with the token of another worker settles nothing', async () => {
    await queue.add([{}, {}]);
    const job = await claimOne();
    const [foreign] = (await queue.newWorker().exchange({ want: 1 })).claimed;
    if (foreign === undefined) throw new Error('Nothing was claimed.');
    const settles = [settleOf({ ...job, token: foreign.token }, { event: 'succeed', json: '' })];
    expect((await worker.exchange({ settles })).settled).toEqual(['stale']);
    expect((await queue.read(job.ulid)).record.status).toBe('processing');
  });

  it('settles and claims as many jobs as a call may, at once', async () => {
    await queue.add(Array.from({ length: 2 * MAX_JOBS_PER_CALL }, () => ({})));
    const { claimed } = await worker.exchange({ want: MAX_JOBS_PER_CALL });
    const settles = claimed.map((job, index) => settleOf(job, SETTLEMENTS[index % 3] ?? { event: 'hand_back', delayMs: 0 }));
    const reply = await worker.exchange({ want: MAX_JOBS_PER_CALL, settles });
    expect(reply.settled).toEqual(settles.map((_settle, index) => ['succeeded', 'retrying', 'failed'][index % 3]));
    expect(reply.claimed).toHaveLength(MAX_JOBS_PER_CALL);
    expect((await queue.depth()).counts).toMatchObject({ queued: 0, processing: 64, succeeded: 22, retrying: 21, failed: 21 });
  });
});
