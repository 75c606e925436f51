import { fork } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { IsolationProcess } from '../fixtures/isolation/isolation-process.js';
import { eventually } from '../support/eventually.js';
import { REDIS_URL, newKeyPrefix } from '../support/jobs-app.js';

jest.setTimeout(60_000);

const ACTS = './acts.module.mjs';

const started: IsolationProcess[] = [];

async function start(...args: Parameters<typeof IsolationProcess.start>): Promise<IsolationProcess> {
  const isolation = await IsolationProcess.start(...args);
  started.push(isolation);
  return isolation;
}

afterAll(async () => {
  await Promise.all(started.map((isolation) => isolation.dispose()));
});

describe('a handler in a thread', () => {
  let isolation: IsolationProcess;
  let latest = 0;

  beforeAll(async () => {
    isolation = await start({ module: ACTS });
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
        requestId: 'r-1',
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
    const isolation = await start({ module: ACTS, maxHeapMb: 64 });
    await expect(isolation.handle('act.run_1', { act: 'hoard' })).resolves.toMatchObject({
      verdict: { kind: 'retry', delayMs: 2_000 },
      kept: { code: 'thread_died', message: 'The thread ended under the job: it had no memory left.' },
    });
    await expect(isolation.handle('act.run_2', { act: 'return', value: 'next' })).resolves.toEqual({ result: 'next' });
  });
});

describe('the threads of a type', () => {
  it('run 200 jobs, each once, over as many threads as jobs may run at once', async () => {
    const isolation = await start({ module: ACTS, concurrency: 4 });
    const jobs = Array.from({ length: 200 }, (_, index) => `act.run_${index}`);
    const settled = await Promise.all(jobs.map((job) => isolation.handle(job, { act: 'context' })));
    // The act answers with it.
    const results = settled.map(({ result }) => result as { readonly jobId: string; readonly threadId: number });
    expect(results.map(({ jobId }) => jobId)).toEqual(jobs);
    expect(new Set(results.map(({ threadId }) => threadId)).size).toBeLessThanOrEqual(4);
    expect(await isolation.threads()).toBeLessThanOrEqual(4);
  });

  it('are ended after a while without a job, each closing its application in order, and started again', async () => {
    const isolation = await start({ module: ACTS, idleMs: 50 });
    await expect(isolation.threads()).resolves.toBe(0);
    await Promise.all(['act.run_1', 'act.run_2'].map((job) => isolation.handle(job, { act: 'return' })));
    await eventually(async () => {
      expect(await isolation.threads()).toBe(0);
    });
    expect(isolation.logged('closing in order').length).toBeGreaterThan(0);
    expect(isolation.logged('a thread died')).toEqual([]);
    await expect(isolation.handle('act.run_3', { act: 'return', value: 3 })).resolves.toEqual({ result: 3 });
  });

  it('keep to their number: a job beyond it waits, and may be aborted or terminated meanwhile', async () => {
    const isolation = await start({ module: ACTS, concurrency: 1 });
    // Aborted before there is a thread at all.
    const early = isolation.handle('act.run_early', { act: 'return' });
    await isolation.abort('act.run_early', 'shutdown');
    await expect(early).resolves.toMatchObject({ kept: { code: 'shutdown' } });

    const first = isolation.handle('act.run_first', { act: 'stubborn' });
    await isolation.until('act.run_first', 'progress');
    const second = isolation.handle('act.run_second', { act: 'return' });
    const third = isolation.handle('act.run_third', { act: 'return' });
    const fourth = isolation.handle('act.run_fourth', { act: 'return', value: 4 });
    await isolation.terminate('act.run_second');
    await expect(second).resolves.toMatchObject({ kept: { code: 'timed_out' } });
    await isolation.abort('act.run_third', 'cancelled');
    await expect(third).resolves.toMatchObject({ kept: { code: 'cancelled' } });
    await expect(isolation.threads()).resolves.toBe(1);
    await isolation.terminate('act.run_first');
    await expect(first).resolves.toMatchObject({ kept: { code: 'timed_out' } });
    await expect(fourth).resolves.toEqual({ result: 4 });
  });
});

describe('a thread that cannot start', () => {
  it.each([
    ['./not-a-module.mjs', 'its default export is no Nest module'],
    ['./empty.module.mjs', 'its module provides no @JobHandler of "act.run"'],
    ['./failing-provider.module.mjs', 'no database'],
    ['./leaving.module.mjs', 'it ended with exit code 4'],
    ['./no-such-file.mjs', 'Cannot find module'],
  ])('fails its job with the file and the cause: %s', async (module, cause) => {
    const isolation = await start({ module });
    const { verdict, kept } = await isolation.handle('act.run_1', { act: 'return' });
    expect(verdict).toMatchObject({ kind: 'retry' });
    expect(kept).toMatchObject({ name: 'ThreadBootError', code: 'thread_boot_failed' });
    expect(kept?.message).toContain(
      `The thread for "act.run" cannot start from ${join(process.cwd(), 'test/fixtures/isolation', module)}: `,
    );
    expect(kept?.message).toContain(cause);
    await eventually(() => {
      expect(isolation.logged('a thread cannot be started')).toMatchObject([{ level: 'error', job_type: 'act.run' }]);
    });
  });

  it('is tried again only after a while, logged once, and used once it can', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'antrean-isolation-'));
    const mended = join(folder, 'mended');
    const isolation = await start({ module: './broken.module.mjs' }, { MENDED: mended });
    try {
      await expect(isolation.handle('act.run_1', { act: 'return' })).resolves.toMatchObject({
        kept: { code: 'thread_boot_failed' },
      });
      const failedAt = performance.now();
      const together = await Promise.all(['act.run_2', 'act.run_3'].map((job) => isolation.handle(job, { act: 'return' })));
      expect(performance.now() - failedAt).toBeGreaterThan(950);
      for (const { kept } of together) expect(kept?.message).toContain('the disk is on fire');
      await writeFile(mended, '');
      await expect(isolation.handle('act.run_4', { act: 'return', value: 4 })).resolves.toEqual({ result: 4 });
      expect(isolation.logged('a thread cannot be started')).toHaveLength(1);
      expect(isolation.logged('threads can be started again')).toHaveLength(1);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});

describe('threads at a shutdown', () => {
  it('are told, let their jobs end within the grace, are then ended, and keep no process', async () => {
    const isolation = await start({ module: ACTS, concurrency: 3 });
    const willing = isolation.handle('act.run_willing', { act: 'caught' });
    const stubborn = isolation.handle('act.run_stubborn', { act: 'stubborn' });
    const spinning = isolation.handle('act.run_spinning', { act: 'spin' });
    const running = ['act.run_willing', 'act.run_stubborn', 'act.run_spinning'];
    for (const job of running) await isolation.until(job, 'progress');
    const waiting = isolation.handle('act.run_waiting', { act: 'return' });

    const closed = Promise.all([isolation.close(1_000), isolation.close(1_000)]);
    await expect(waiting).resolves.toMatchObject({ kept: { code: 'shutdown' } });
    await expect(isolation.handle('act.run_late', { act: 'return' })).resolves.toMatchObject({ kept: { code: 'shutdown' } });
    for (const job of running) await isolation.abort(job, 'shutdown');
    await expect(willing).resolves.toEqual({ result: 'JobAbortedError shutdown' });
    for (const ended of [stubborn, spinning]) await expect(ended).resolves.toMatchObject({ kept: { code: 'shutdown' } });
    await closed;
    await expect(isolation.threads()).resolves.toBe(0);
    await expect(isolation.leave()).resolves.toEqual({ code: 0, signal: null });
  });

  it('without a job close their applications in order, at once', async () => {
    const isolation = await start({ module: ACTS });
    await isolation.handle('act.run_1', { act: 'return' });
    const closedAt = performance.now();
    await isolation.close(20_000);
    expect(performance.now() - closedAt).toBeLessThan(5_000);
    expect(isolation.logged('closing in order')).toHaveLength(1);
    await expect(isolation.leave()).resolves.toEqual({ code: 0, signal: null });
  });
});

describe('a worker with a type that runs in threads', () => {
  it('runs, settles, ends at the hard limit and hands back its jobs as those of any type', async () => {
    const options = JSON.stringify({ redisUrl: REDIS_URL, keyPrefix: newKeyPrefix() });
    const worker = fork(join(process.cwd(), 'test/fixtures/isolation/worker.mjs'), [options], {
      serialization: 'advanced',
      execArgv: [],
    });
    const exited = new Promise((resolve) => worker.once('exit', resolve));
    const said = new Promise((resolve) => worker.once('message', resolve));
    const outcomes = await Promise.race([said, exited]);
    expect(outcomes).toMatchObject({
      waited: { status: 'succeeded', result: 4, runs: [{ outcome: 'succeeded' }] },
      returned: { status: 'succeeded', result: 5 },
      all: {
        status: 'succeeded',
        result: { saved: { at: 5 }, kept: { sum: 3 }, child: { type: 'child.send', status: 'queued' } },
        progress: { percent: 10, message: 'a tenth', data: { of: 'it' } },
      },
      log: [{ level: 'info', message: 'begun', fields: { n: 1 } }],
      threw: { status: 'failed', error: { name: 'PermanentError', code: 'E_NEVER' } },
      hung: { status: 'failed', error: { name: 'JobAbortedError', code: 'timed_out' }, runs: [{ outcome: 'timed_out' }] },
      died: { status: 'failed', error: { code: 'thread_died' } },
      next: { status: 'succeeded', result: 6 },
      cutOff: { status: 'queued', attempt: 0, crashes: 0 },
    });
    // It disconnects once both applications are closed; no thread keeps it.
    expect(await exited).toBe(0);
  });
});
