import type { Claimed, Settlement } from '../../libs/jobs/src/store/exchange.js';
import { describeJob } from '../../libs/jobs/src/services/describe-job.js';
import { parseRun, type Run } from '../../libs/jobs/src/store/trail.js';
import { withFreshQueue } from '../support/fresh-queue.js';
import { LEASE_MS, type StoredQueue, type StoredWorker } from '../support/stored-queue.js';

const errorJson = (message: string): string => JSON.stringify({ name: 'Error', code: 'error', message });

describe('a trail', () => {
  let queue: StoredQueue;
  let worker: StoredWorker;

  withFreshQueue((fresh) => {
    queue = fresh;
    worker = queue.newWorker();
  });

  const claim = async (): Promise<Claimed> => {
    await queue.promote();
    const [job] = (await worker.exchange({ want: 1 })).claimed;
    if (job === undefined) throw new Error('Nothing was claimed.');
    return job;
  };
  const run = async (settlement: Settlement): Promise<void> => {
    const job = await claim();
    await worker.exchange({ settles: [{ ...job, settlement }] });
  };
  const fail = (number: number) => run({ event: 'retry', outcome: 'failed', delayMs: 0, json: errorJson(`run ${number}`) });
  const runsOf = async (ulid: string): Promise<readonly Run[]> =>
    describeJob({ type: queue.type, ulid }, await queue.read(ulid), []).runs;

  it('says how each run ended, by whom, with what error, and when the next was to be', async () => {
    const [ulid = ''] = await queue.add([{ maxAttempts: 9 }]);
    await run({ event: 'retry', outcome: 'timed_out', delayMs: 0, json: errorJson('slow { } "€😀\\') });
    await run({ event: 'snooze', delayMs: 0, json: errorJson('not now') });
    await run({ event: 'hand_back', delayMs: 0 });
    await claim();
    await queue.moveClock(LEASE_MS + 1);
    await queue.reap();
    await run({ event: 'bury', outcome: 'failed', json: errorJson('never') });
    const runs = await runsOf(ulid);
    expect(runs.map(({ number, outcome, error }) => [number, outcome, error?.message ?? null])).toEqual([
      [1, 'timed_out', 'slow { } "€😀\\'],
      [2, 'snoozed', 'not now'],
      [3, 'handed_back', null],
      // The tests' reaper gives an empty error.
      [4, 'crashed', null],
      [5, 'failed', 'never'],
    ]);
    expect(runs.map(({ workerId }) => workerId)).toEqual(runs.map(() => worker.number));
    expect(runs.map(({ nextAttemptAt }) => nextAttemptAt !== null)).toEqual([true, true, true, true, false]);
    for (const { startedAt, finishedAt } of runs) expect(finishedAt?.getTime()).toBeGreaterThanOrEqual(startedAt.getTime());
  });

  it('counts the snoozes of a job up to what its record holds', async () => {
    const [ulid = ''] = await queue.add([{}]);
    await queue.redis.setrange(queue.keys.job(ulid), 9, Buffer.from([0xfe, 0xff]));
    const snoozes: number[] = [];
    for (let time = 0; time < 2; time += 1) {
      await run({ event: 'snooze', delayMs: 0, json: errorJson('not now') });
      snoozes.push((await queue.read(ulid)).record.snoozes);
    }
    expect(snoozes).toEqual([65_535, 65_535]);
  });

  it('counts every run, and as attempts those alone that failed', async () => {
    const [ulid = ''] = await queue.add([{ maxAttempts: 9 }]);
    const attempts: number[] = [];
    const note = async () => attempts.push((await queue.read(ulid)).record.attempt);
    await fail(1);
    await note();
    await run({ event: 'snooze', delayMs: 0, json: errorJson('not now') });
    await note();
    await run({ event: 'hand_back', delayMs: 0 });
    await note();
    await run({ event: 'hand_back', delayMs: 1 });
    await note();
    await queue.moveClock(1_000);
    await claim();
    await queue.moveClock(2 * LEASE_MS);
    await queue.reap();
    await note();
    await fail(6);
    await note();
    expect(attempts).toEqual([1, 1, 1, 1, 1, 2]);
    expect((await queue.read(ulid)).record.runs).toBe(6);
  });

  it('keeps the latest 50 runs', async () => {
    const [ulid = ''] = await queue.add([{ maxAttempts: 1_000 }]);
    for (let number = 1; number <= 60; number += 1) await fail(number);
    const { extra, record } = await queue.read(ulid);
    const kept = [...extra]
      .map(([field, text]) => parseRun(Number(field.slice('run:'.length)), text))
      .sort((a, b) => a.number - b.number);
    expect(kept.map(({ number, error }) => [number, error?.message])).toEqual(
      Array.from({ length: 50 }, (_, index) => [index + 11, `run ${index + 11}`]),
    );
    expect(record).toMatchObject({ runs: 60, attempt: 60 });
  });

  it('shows the latest 50 runs, the one that goes on and the one that succeeded among them', async () => {
    const [ulid = ''] = await queue.add([{ maxAttempts: 1_000 }]);
    for (let number = 1; number <= 55; number += 1) await fail(number);
    const numbers = async () => (await runsOf(ulid)).map(({ number }) => number);
    expect(await numbers()).toEqual(Array.from({ length: 50 }, (_, index) => index + 6));
    const job = await claim();
    expect(await numbers()).toEqual(Array.from({ length: 50 }, (_, index) => index + 7));
    await worker.exchange({ settles: [{ ...job, settlement: { event: 'succeed', json: '1' } }] });
    expect(await numbers()).toEqual(Array.from({ length: 50 }, (_, index) => index + 7));
  });

  it('goes with its job', async () => {
    const [ulid = ''] = await queue.add([{ maxAttempts: 2 }]);
    await fail(1);
    await fail(2);
    expect((await queue.read(ulid)).record.status).toBe('failed');
    await queue.moveClock(1_000);
    expect(await queue.sweep(0, 500)).toEqual({ removed: 1, nextDueInMs: undefined });
    expect(await queue.redis.exists(queue.keys.extra(ulid), queue.keys.job(ulid))).toBe(0);
  });
});
