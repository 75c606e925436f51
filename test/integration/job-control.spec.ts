import {
  JobHandler,
  PermanentError,
  defineJob,
  fixed,
  isFinal,
  unchecked,
  type Handles,
  type Job,
  type JobContext,
} from '@antrean/jobs';
import { eventually } from '../support/eventually.js';
import { startJobsApp, type JobsApp } from '../support/jobs-app.js';

const Guided = defineJob('guided.run', {
  payload: unchecked<{ name: string }>(),
  attempts: 2,
  retry: fixed('1h'),
  dedupe: { key: ({ name }) => (name.startsWith('keyed') ? name : undefined), policy: 'until_finished' },
});

/** Waits until it is told how to end. */
@JobHandler(Guided)
class GuidedHandler implements Handles<typeof Guided> {
  private readonly runs = new Map<string, { context: JobContext<typeof Guided>; end: (how: () => unknown) => void }>();

  async handle(context: JobContext<typeof Guided>): Promise<unknown> {
    const how = await new Promise<() => unknown>((end) => this.runs.set(context.payload.name, { context, end }));
    this.runs.delete(context.payload.name);
    return how();
  }

  context(name: string): JobContext<typeof Guided> {
    const run = this.runs.get(name);
    if (run === undefined) throw new Error(`${name} does not run.`);
    return run.context;
  }

  end(name: string, how: () => unknown): void {
    this.runs.get(name)?.end(how);
  }

  endAll(): void {
    for (const { end } of this.runs.values()) end(() => undefined);
  }
}

const ended = (job: Job): boolean => isFinal(job.status);
const fail = () => {
  throw new Error('no luck');
};

describe('a job that is interfered with', () => {
  let jobs: JobsApp;
  let handler: GuidedHandler;
  let names = 0;

  beforeAll(async () => {
    jobs = await startJobsApp([Guided], [GuidedHandler], { retentionMs: 600_000, deadRetentionMs: 600_000 });
    handler = jobs.app.get(GuidedHandler);
  });

  afterAll(async () => {
    handler.endAll();
    await jobs.close();
  });

  const newName = () => `job ${(names += 1)}`;
  const submit = async (name: string, options = {}) => (await jobs.queue.enqueue(Guided, { name }, options)).jobId;

  async function running(name = newName()): Promise<{ name: string; jobId: string; context: JobContext<typeof Guided> }> {
    const jobId = await submit(name);
    const context = await eventually(() => handler.context(name));
    return { name, jobId, context };
  }

  const codeOf = (work: Promise<unknown>) =>
    work.then(
      () => 'done',
      (error: unknown) => (error as { code: string }).code,
    );

  describe('by a cancel', () => {
    it('never runs when it waits', async () => {
      const name = newName();
      const jobId = await submit(name, { delayMs: 100 });
      expect(await jobs.control.cancel(jobId)).toEqual({ jobId, status: 'cancelled', changed: true, cancelRequestedAt: null });
      const behind = await running();
      expect(() => handler.context(name)).toThrow();
      expect(await jobs.status.get(jobId)).toMatchObject({ status: 'cancelled', attempt: 0, runs: [] });
      handler.end(behind.name, () => 1);
    });

    it('is told to stop within a second when it runs, and ends as cancelled', async () => {
      const { name, jobId, context } = await running();
      const answer = await jobs.control.cancel(jobId);
      expect(answer).toEqual({ jobId, status: 'processing', changed: true, cancelRequestedAt: expect.any(Date) as Date });
      expect((await jobs.status.get(jobId))?.cancelRequestedAt).toEqual(answer.cancelRequestedAt);
      expect(await jobs.control.cancel(jobId)).toEqual({ ...answer, changed: false });
      const asked = performance.now();
      await eventually(() => {
        expect(context.signal.aborted).toBe(true);
      }, 1_000);
      expect(performance.now() - asked).toBeLessThan(1_000);
      expect(context.signal.reason).toMatchObject({ code: 'cancelled' });
      expect((await jobs.status.get(jobId))?.cancelRequestedAt).toBeInstanceOf(Date);
      handler.end(name, () => {
        throw context.signal.reason as Error;
      });
      const job = await jobs.until(jobId, ended);
      expect(job).toMatchObject({
        status: 'cancelled',
        cancelRequestedAt: expect.any(Date) as Date,
        runs: [{ outcome: 'cancelled' }],
      });
    });

    it('counts as succeeded when it succeeds all the same, and as cancelled when it fails in any way', async () => {
      const [one, other] = [await running(), await running()];
      for (const { jobId } of [one, other]) await jobs.control.cancel(jobId);
      handler.end(one.name, () => 'in time');
      handler.end(other.name, fail);
      expect(await jobs.until(one.jobId, ended)).toMatchObject({ status: 'succeeded', result: 'in time' });
      expect(await jobs.until(other.jobId, ended)).toMatchObject({ status: 'cancelled' });
    });

    it('is told by the next heartbeat when the message was lost', async () => {
      const { name, jobId, context } = await running();
      const { redis } = jobs.link;
      const keys = jobs.link.keys(Guided.type);
      // As the script leaves it, without what it publishes.
      await redis.sadd(keys.cancels, jobId.split('_').at(-1) ?? '');
      await jobs.heart.beat();
      expect(context.signal.reason).toMatchObject({ code: 'cancelled' });
      await redis.srem(keys.cancels, jobId.split('_').at(-1) ?? '');
      handler.end(name, () => 'done');
      await jobs.until(jobId, ended);
    });

    it('is refused when it has ended, or never was', async () => {
      const { name, jobId } = await running();
      handler.end(name, () => 1);
      await jobs.until(jobId, ended);
      expect(await codeOf(jobs.control.cancel(jobId))).toBe('illegal_transition');
      expect(await codeOf(jobs.control.cancel('guided.run_01JDVZ8XQ4T4Y8Q7M5K3N2P1R0'))).toBe('job_not_found');
      expect(await codeOf(jobs.control.cancel('nonsense'))).toBe('job_not_found');
    });
  });

  describe('by a replay', () => {
    it('runs again with its counters reset and its history kept', async () => {
      const { name, jobId } = await running();
      handler.end(name, () => {
        throw new PermanentError('no luck');
      });
      await jobs.until(jobId, ended);
      expect(await jobs.control.replay(jobId)).toEqual({ jobId, status: 'queued', replays: 1 });
      await eventually(() => handler.context(name));
      handler.end(name, () => 'second time');
      const job = await jobs.until(jobId, ended);
      expect(job).toMatchObject({ status: 'succeeded', attempt: 1, replays: 1, result: 'second time' });
      expect(job.runs.map(({ number, outcome }) => [number, outcome])).toEqual([
        [1, 'failed'],
        [2, 'succeeded'],
      ]);
    });

    it('runs with another payload, under the options and the dedupe key it has', async () => {
      const { name, jobId } = await running('keyed first');
      handler.end(name, () => {
        throw new PermanentError('no luck');
      });
      const before = await jobs.until(jobId, ended);
      await jobs.control.replay(jobId, { payload: { name: 'second' } });
      await eventually(() => handler.context('second'));
      handler.end('second', () => 'with another');
      const job = await jobs.until(jobId, ended);
      expect(job).toMatchObject({ status: 'succeeded', payload: { name: 'second' }, dedupeKey: 'keyed first' });
      expect(job).toMatchObject({ traceId: before.traceId, priority: before.priority, createdAt: before.createdAt });
      expect(await codeOf(jobs.control.replay(jobId, { payload: { name: 'x'.repeat(300_000) } }))).toBe('payload_too_large');
      expect(await jobs.status.get(jobId)).toEqual(job);
    });

    it('is refused while it has not ended, or another job holds its dedupe key', async () => {
      const { name, jobId } = await running('keyed one');
      expect(await codeOf(jobs.control.replay(jobId))).toBe('illegal_transition');
      handler.end(name, () => 1);
      await jobs.until(jobId, ended);
      const other = await running('keyed one');
      await expect(jobs.control.replay(jobId)).rejects.toMatchObject({
        code: 'duplicate_job',
        jobId: other.jobId,
        status: 'processing',
      });
      handler.end(other.name, () => 2);
      await jobs.until(other.jobId, ended);
      expect(await codeOf(jobs.control.replay(jobId))).toBe('done');
      await eventually(() => handler.context(name));
      expect(await codeOf(jobs.queue.enqueue(Guided, { name: 'keyed one' }))).toBe('duplicate_job');
      handler.end(name, () => 3);
      await jobs.until(jobId, ended);
    });
  });

  describe('by a removal', () => {
    it('leaves nothing behind, and its dedupe key is free', async () => {
      const { name, jobId, context } = await running('keyed two');
      context.log.info('a line');
      expect(await codeOf(jobs.control.remove(jobId))).toBe('illegal_transition');
      handler.end(name, fail);
      await jobs.until(jobId, ({ status }) => status === 'retrying');
      await jobs.control.cancel(jobId);
      await jobs.control.remove(jobId);
      expect(await jobs.status.get(jobId)).toBeUndefined();
      expect(await jobs.status.logs(jobId)).toBeUndefined();
      expect(await jobs.link.redis.keys(`*${jobId.split('_').at(-1) ?? ''}*`)).toEqual([]);
      expect(await codeOf(jobs.control.remove(jobId))).toBe('job_not_found');
      const again = await running('keyed two');
      handler.end(again.name, () => 1);
    });
  });
});
