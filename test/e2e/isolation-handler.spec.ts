import type { Isolation } from '../fixtures/isolation/isolation.js';
import { isolationOpener } from '../fixtures/isolation/isolation-opener.js';
import { eventually } from '../support/eventually.js';

const ACTS = './acts.module.mjs';
const open = isolationOpener();

describe('a handler in a thread', () => {
  let isolation: Isolation;
  let latest = 0;

  beforeAll(async () => {
    isolation = await open({ module: ACTS });
  });

  function newJob(): string {
    latest += 1;
    return `act.run_${latest}`;
  }

  it('is given its job’s facts, the payload as an instance of its class, and the checkpoint', async () => {
    await expect(isolation.handle('act.run_facts', { act: 'context', checkpoint: { at: 7 } })).resolves.toMatchObject({
      result: {
        jobId: 'act.run_facts',
        type: 'act.run',
        attempt: 2,
        maxAttempts: 5,
        traceId: 'ab'.repeat(16),
        run: 3,
        requestId: 'r-1',
        traceparent: `00-${'ab'.repeat(16)}-${'cd'.repeat(8)}-01`,
        tracestate: 'a=1',
        signAs: 'shop',
        isInstance: true,
        checkpoint: { at: 7 },
      },
    });
  });

  it('returns its result as the JSON that is kept', async () => {
    await expect(isolation.handle(newJob(), { act: 'return', value: { a: [1, null, 'x'] } })).resolves.toEqual({
      result: { a: [1, null, 'x'] },
    });
    expect((await isolation.handle(newJob(), { act: 'nothing' })).result).toBeUndefined();
  });

  it.each([
    ['circle', 'result_not_serializable'],
    ['large', 'result_too_large'],
  ])('buries a job whose result cannot be kept: %s', async (act, code) => {
    await expect(isolation.handle(newJob(), { act })).resolves.toMatchObject({ verdict: { kind: 'bury' }, kept: { code } });
  });

  it('refuses a payload that does not fit, as an InvalidPayloadError', async () => {
    // A number is no act.
    const job = { act: 5 as unknown as string };
    await expect(isolation.handle(newJob(), job)).resolves.toMatchObject({
      verdict: { kind: 'bury' },
      kept: { name: 'InvalidPayloadError', code: 'invalid_payload', message: expect.stringContaining('/act') as unknown },
    });
  });

  it.each([
    ['permanent', { kind: 'bury' }, { name: 'PermanentError', code: 'E_NEVER', message: 'never' }],
    ['retryAfter', { kind: 'retry', delayMs: 90_000 }, { name: 'RetryAfterError', code: 'retry_after' }],
    ['snooze', { kind: 'snooze', delayMs: 300_000 }, { name: 'Snooze', message: 'not yet' }],
    ['invalid', { kind: 'bury' }, { name: 'InvalidPayloadError', message: 'The payload does not fit other.run: /to: is wrong' }],
    ['notFound', { kind: 'bury' }, { name: 'Error', message: 'answered 404' }],
    ['unavailable', { kind: 'retry', delayMs: 2_005 }, { name: 'Error', message: 'answered 503' }],
    ['coded', { kind: 'bury' }, { code: 'E_FATAL', message: 'broken' }],
    ['text', { kind: 'retry', delayMs: 2_000 }, { name: 'string', message: 'plain text' }],
    ['nothing', { kind: 'retry', delayMs: 2_000 }, { name: 'undefined', message: 'undefined' }],
    ['getters', { kind: 'retry', delayMs: 2_000 }, { name: 'Error', message: 'A value was thrown that cannot be printed.' }],
  ])('is judged by what it throws as if it were in the process: %s', async (value, verdict, kept) => {
    await expect(isolation.handle(newJob(), { act: 'throw', value })).resolves.toMatchObject({ verdict, kept });
  });

  it('shows in the stack where in the thread it threw', async () => {
    const { stack } = await isolation.handle(newJob(), { act: 'throw', value: 'coded' });
    expect(stack).toContain('acts.module.mjs');
  });

  it('survives an overflow of its stack', async () => {
    await expect(isolation.handle(newJob(), { act: 'deep' })).resolves.toMatchObject({ kept: { name: 'RangeError' } });
  });

  it('logs, tells progress, saves its checkpoint, keeps steps and submits jobs through the process', async () => {
    const job = newJob();
    await expect(isolation.handle(job, { act: 'all' })).resolves.toEqual({
      result: {
        saved: { at: 5, on: '1970-01-01T00:00:00.000Z' },
        kept: { sum: 3 },
        child: {
          jobId: 'child.send_2',
          type: 'child.send',
          status: 'queued',
          traceId: 'x',
          createdAt: '1970-01-01T00:00:00.000Z',
          deduplicated: false,
        },
        createdAt: true,
      },
    });
    expect(isolation.told.filter((one) => one.job === job)).toEqual([
      {
        job,
        told: 'log',
        level: 'info',
        message: 'begun',
        fields: { n: 1, err: { name: 'TypeError', code: 'E_ODD', message: 'odd' } },
      },
      { job, told: 'progress', percent: 10, message: 'a tenth', data: { of: 'it' } },
      { job, told: 'saved', value: { at: 5, on: '1970-01-01T00:00:00.000Z' } },
      { job, told: 'step', name: 'sum', value: { sum: 3 } },
      { job, told: 'enqueue', type: 'child.send', payload: { act: 'x' }, options: { runAt: new Date(7) } },
    ]);
  });

  it('does not do the work of a step again whose result is kept', async () => {
    const { result } = await isolation.handle(newJob(), { act: 'steps' });
    expect(result).toEqual(['kept before', null]);
  });

  it('catches what the process refuses as the errors that they are, and what its own step throws as it was', async () => {
    await expect(isolation.handle(newJob(), { act: 'refusals' })).resolves.toEqual({
      result: {
        duplicate: 'child.send_1',
        invalid: 'invalid_payload',
        unknown: 'unknown_job_type act.run,child.send',
        unsendable: 'DataCloneError',
        mine: true,
        late: 'JobAbortedError lease_lost',
      },
    });
  });

  it('may tell progress in a loop without flooding the process, and the last is not lost', async () => {
    const job = newJob();
    const { result } = await isolation.handle(job, { act: 'manyProgresses' });
    const told = isolation.told.filter((one) => one.job === job);
    expect(result).toBeGreaterThan(1_000);
    expect(told.length).toBeGreaterThanOrEqual(3);
    expect(told.length).toBeLessThanOrEqual(7);
    expect(told.at(-1)).toMatchObject({ percent: 99, message: 'last' });
  });

  it.each([
    ['badProgress', '/percent: must be a number'],
    ['badLog', '/message: must be a string, not an object'],
    ['badStep', '/name: is that of the step whose own work asks for it'],
  ])('is refused what cannot be kept, right where it tells it: %s', async (act, fault) => {
    await expect(isolation.handle(newJob(), { act })).resolves.toMatchObject({
      kept: { name: 'NotStorableError', message: expect.stringContaining(fault) as unknown },
      stack: expect.stringContaining('acts.module.mjs') as unknown,
    });
  });

  it('logs through Nest into the process’ log', async () => {
    await isolation.handle(newJob(), { act: 'nestLog' });
    await eventually(() => {
      expect(isolation.log).toContainEqual(
        expect.objectContaining({ level: 'warn', job_type: 'act.run', context: 'Acts', msg: 'by way of Nest' }),
      );
      expect(isolation.log).toContainEqual(
        expect.objectContaining({
          level: 'error',
          context: 'Acts',
          err: expect.objectContaining({ name: 'TypeError' }) as unknown,
        }),
      );
    });
  });

  it('may log after its end, but do nothing else in its job’s name', async () => {
    const job = newJob();
    await expect(isolation.handle(job, { act: 'later' })).resolves.toEqual({ result: 'ended' });
    await eventually(() => {
      expect(isolation.logged('after the end')).toMatchObject([{ level: 'warn', job_id: job }]);
      const [refused] = isolation.logged('refused');
      expect(refused).toMatchObject({ err: { message: expect.stringContaining(`The handler of ${job} has ended`) as unknown } });
    });
    expect(isolation.told).not.toContainEqual(expect.objectContaining({ job, told: 'enqueue' }));
  });

  it.each(['timed_out', 'lease_lost', 'shutdown', 'cancelled'])(
    'sees in its signal that it is to stop, and why: %s',
    async (cause) => {
      const job = newJob();
      const settled = isolation.handle(job, { act: 'caught' });
      await isolation.until(job, 'progress');
      await isolation.abort(job, cause);
      await expect(settled).resolves.toEqual({ result: `JobAbortedError ${cause}` });
    },
  );

  it('may pass on the reason of its signal', async () => {
    const job = newJob();
    const settled = isolation.handle(job, { act: 'wait' });
    await isolation.until(job, 'progress');
    await isolation.abort(job, 'cancelled');
    await expect(settled).resolves.toMatchObject({ kept: { name: 'JobAbortedError', code: 'cancelled' } });
  });

  it('spins without holding up the process or other jobs, and is ended when it is terminated', async () => {
    const spinning = newJob();
    const settled = isolation.handle(spinning, { act: 'spin' });
    await isolation.until(spinning, 'progress');
    // The second thread is up from here on; starting it costs the machine more than the process.
    await isolation.handle(newJob(), { act: 'return' });
    await isolation.longestDelayMs();
    for (let job = 0; job < 20; job += 1) await isolation.handle(newJob(), { act: 'return', value: job });
    expect(await isolation.longestDelayMs()).toBeLessThan(1_000);
    await expect(isolation.threads()).resolves.toBe(2);

    await isolation.terminate(spinning);
    await expect(settled).resolves.toMatchObject({
      verdict: { kind: 'retry' },
      kept: { name: 'JobAbortedError', code: 'timed_out' },
    });
    await eventually(async () => {
      expect(await isolation.threads()).toBe(1);
    });
    // It was told to: nothing died.
    expect(isolation.logged('a thread died')).toEqual([]);
    await expect(isolation.handle(newJob(), { act: 'return', value: 'next' })).resolves.toEqual({ result: 'next' });
  });

  it.each([
    ['exit', 'The thread ended under the job: something in it called process.exit(3).'],
    ['uncaught', 'The thread ended under the job: nothing caught Error: nobody caught it.'],
  ])('that takes its thread down fails alone, and is retried: %s', async (act, message) => {
    await expect(isolation.handle(newJob(), { act })).resolves.toMatchObject({
      verdict: { kind: 'retry', delayMs: 2_000 },
      kept: { name: 'ThreadDiedError', code: 'thread_died', message },
    });
    await expect(isolation.handle(newJob(), { act: 'return', value: 'next' })).resolves.toEqual({ result: 'next' });
  });
});

describe('a handler in a thread whose memory is limited', () => {
  it('that wants more fails alone, and is retried', async () => {
    const isolation = await open({ module: ACTS, maxHeapMb: 64 });
    await expect(isolation.handle('act.run_1', { act: 'hoard' })).resolves.toMatchObject({
      verdict: { kind: 'retry', delayMs: 2_000 },
      kept: { code: 'thread_died', message: 'The thread ended under the job: it had no memory left.' },
    });
    await expect(isolation.handle('act.run_2', { act: 'return', value: 'next' })).resolves.toEqual({ result: 'next' });
  });
});
