import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { IsolationProcess } from '../fixtures/isolation/isolation-process.js';
import { isolationOpener } from '../fixtures/isolation/isolation-opener.js';
import { eventually } from '../support/eventually.js';

jest.setTimeout(60_000);

const ACTS = './acts.module.mjs';
const open = isolationOpener();

describe('the threads of a type', () => {
  it('run 200 jobs, each once, over as many threads as jobs may run at once', async () => {
    const isolation = await open({ module: ACTS, concurrency: 2 });
    const jobs = Array.from({ length: 200 }, (_, index) => `act.run_${index}`);
    const settled = await Promise.all(jobs.map((job) => isolation.handle(job, { act: 'context' })));
    // The act answers with it.
    const results = settled.map(({ result }) => result as { readonly jobId: string; readonly threadId: number });
    expect(results.map(({ jobId }) => jobId)).toEqual(jobs);
    expect(new Set(results.map(({ threadId }) => threadId)).size).toBeLessThanOrEqual(2);
    expect(await isolation.threads()).toBeLessThanOrEqual(2);
  });

  it('are ended after a while without a job, each closing its application in order, and started again', async () => {
    const isolation = await open({ module: ACTS, idleMs: 50 });
    await expect(isolation.threads()).resolves.toBe(0);
    await Promise.all(['act.run_1', 'act.run_2'].map((job) => isolation.handle(job, { act: 'return' })));
    await eventually(async () => {
      expect(await isolation.threads()).toBe(0);
      expect(isolation.logged('closing in order').length).toBeGreaterThan(0);
    });
    expect(isolation.logged('a thread died')).toEqual([]);
    await expect(isolation.handle('act.run_3', { act: 'return', value: 3 })).resolves.toEqual({ result: 3 });
  });

  it('keep to their number: a job beyond it waits, and may be aborted or terminated meanwhile', async () => {
    const isolation = await open({ module: ACTS, concurrency: 1 });
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
    const isolation = await open({ module });
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
    const isolation = await open({ module: './broken.module.mjs', env: { MENDED: mended } });
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
      await eventually(() => {
        expect(isolation.logged('threads can be started again')).toHaveLength(1);
      });
      expect(isolation.logged('a thread cannot be started')).toHaveLength(1);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});

describe('threads at a shutdown', () => {
  let driver: IsolationProcess;

  beforeAll(async () => {
    driver = await IsolationProcess.start();
  });

  afterAll(async () => {
    await driver.dispose();
  });

  it('are told, let their jobs end within the grace, and are then ended', async () => {
    const isolation = await driver.open({ module: ACTS, concurrency: 3 });
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
  });

  it('without a job close their applications in order, at once', async () => {
    const isolation = await driver.open({ module: ACTS });
    await isolation.handle('act.run_1', { act: 'return' });
    const closedAt = performance.now();
    await isolation.close(20_000);
    expect(performance.now() - closedAt).toBeLessThan(5_000);
    // What is printed goes another way than the answer, and may come after it.
    await eventually(() => {
      expect(isolation.logged('closing in order')).toHaveLength(1);
    });
  });

  it('keep no process after it', async () => {
    await expect(driver.leave()).resolves.toEqual({ code: 0, signal: null });
  });
});
