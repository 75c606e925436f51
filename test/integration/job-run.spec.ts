import { IsInt, IsOptional, IsString } from 'class-validator';
import {
  JobHandler,
  PermanentError,
  Snooze,
  defineJob,
  exponential,
  isFinal,
  type Handles,
  type Job,
  type JobContext,
} from '@antrean/jobs';
import { eventually } from '../support/eventually.js';
import { startJobsApp, type JobsApp } from '../support/jobs-app.js';

class Payload {
  @IsString()
  plan!: string;

  @IsInt()
  @IsOptional()
  times?: number;
}

const Task = defineJob('task.run', {
  payload: Payload,
  attempts: 3,
  timeout: '200ms',
  grace: '100ms',
  retry: exponential({ base: '40ms', factor: 2, cap: '1s' }),
});

/** Does what the payload's plan says. */
@JobHandler(Task)
class TaskHandler implements Handles<typeof Task> {
  readonly calls: JobContext<typeof Task>[] = [];

  async handle(context: JobContext<typeof Task>): Promise<unknown> {
    this.calls.push(context);
    const { plan, times = 0 } = context.payload;
    switch (plan) {
      case 'fail':
        if (context.attempt <= times) throw new Error(`attempt ${context.attempt} fails`);
        return { attempt: context.attempt };
      case 'permanent':
        throw new PermanentError('There is no such customer.', { code: 'no_customer' });
      case 'snooze':
        if (this.calls.length <= times) throw new Snooze('20ms', 'not yet');
        return undefined;
      case 'hang':
        return new Promise(() => undefined);
      case 'heed':
        return new Promise((_resolve, reject) => {
          context.signal.addEventListener('abort', () => {
            reject(context.signal.reason as Error);
          });
        });
      case 'huge':
        return 'x'.repeat(70_000);
      default:
        return { plan };
    }
  }
}

const ended = (job: Job): boolean => isFinal(job.status);

describe('a job from submit to settled', () => {
  let jobs: JobsApp;

  beforeEach(async () => {
    jobs = await startJobsApp([Task], [TaskHandler]);
  });

  afterEach(async () => {
    await jobs.close();
  });

  const submit = (payload: Payload, options = {}) => jobs.queue.enqueue(Task, payload, options);

  it('succeeds, keeps its result, and shows one run', async () => {
    const { jobId, status } = await submit({ plan: 'ok' });
    expect(status).toBe('queued');
    const job = await jobs.until(jobId, ended);
    expect(job).toMatchObject({ status: 'succeeded', attempt: 1, result: { plan: 'ok' }, error: null });
    expect(job.runs).toMatchObject([{ number: 1, outcome: 'succeeded', error: null }]);
  });

  it('fails twice in passing, then succeeds: the trail is complete and the waits are inside the jitter bounds', async () => {
    const { jobId } = await submit({ plan: 'fail', times: 2 });
    const job = await jobs.until(jobId, ended);
    expect(job).toMatchObject({ status: 'succeeded', attempt: 3, result: { attempt: 3 } });
    expect(job.runs.map(({ number, outcome }) => [number, outcome])).toEqual([
      [1, 'failed'],
      [2, 'failed'],
      [3, 'succeeded'],
    ]);
    const waits = job.runs
      .slice(0, 2)
      .map(({ finishedAt, nextAttemptAt }) => (nextAttemptAt?.getTime() ?? NaN) - (finishedAt?.getTime() ?? NaN));
    expect(waits[0]).toBeGreaterThanOrEqual(0);
    expect(waits[0]).toBeLessThanOrEqual(40);
    expect(waits[1]).toBeGreaterThanOrEqual(0);
    expect(waits[1]).toBeLessThanOrEqual(80);
    expect(job.runs[0]?.error).toEqual({ name: 'Error', code: 'error', message: 'attempt 1 fails' });
  });

  it('is buried after its last attempt', async () => {
    const { jobId } = await submit({ plan: 'fail', times: 9 });
    const job = await jobs.until(jobId, ended);
    expect(job).toMatchObject({ status: 'failed', attempt: 3, error: { message: 'attempt 3 fails' } });
    expect(job.runs).toHaveLength(3);
  });

  it('is buried at once on a permanent error', async () => {
    const { jobId } = await submit({ plan: 'permanent' });
    const job = await jobs.until(jobId, ended);
    expect(job).toMatchObject({
      status: 'failed',
      attempt: 1,
      error: { code: 'no_customer', message: 'There is no such customer.' },
    });
    expect(job.runs).toHaveLength(1);
  });

  it('times out when its handler hangs, and its slot stays taken', async () => {
    const { jobId } = await submit({ plan: 'hang' }, { maxAttempts: 1 });
    const job = await jobs.until(jobId, ended);
    expect(job).toMatchObject({ status: 'failed', error: { code: 'timed_out' } });
    expect(job.runs).toMatchObject([{ outcome: 'timed_out' }]);
  });

  it('is not run again in a process where its first handler still hangs', async () => {
    const { jobId } = await submit({ plan: 'hang' }, { maxAttempts: 2 });
    // It was claimed again, and went on for a second; in its trail stands what ran.
    const job = await jobs.until(jobId, ({ status }) => status === 'scheduled');
    expect(job).toMatchObject({ attempt: 1, runs: [{ outcome: 'timed_out' }] });
    expect(jobs.app.get(TaskHandler).calls).toHaveLength(1);
  });

  it('times out at the soft limit when its handler heeds the signal', async () => {
    const { jobId } = await submit({ plan: 'heed' }, { maxAttempts: 1 });
    const job = await jobs.until(jobId, ended);
    const [run] = job.runs;
    expect(run?.outcome).toBe('timed_out');
    expect((run?.finishedAt?.getTime() ?? 0) - (run?.startedAt.getTime() ?? 0)).toBeLessThan(300);
  });

  it('snoozes without using an attempt', async () => {
    const { jobId } = await submit({ plan: 'snooze', times: 2 });
    const job = await jobs.until(jobId, ended);
    expect(job).toMatchObject({ status: 'succeeded', attempt: 1 });
    expect(job.runs.map(({ outcome }) => outcome)).toEqual(['snoozed', 'snoozed', 'succeeded']);
  });

  it.each([
    ['is buried', {}, { status: 'failed', error: { code: 'snooze' } }],
    ['goes on until its deadline, where it has one,', { expiresInMs: 60_000 }, { status: 'succeeded', error: null }],
  ] as const)('%s after a thousand snoozes', async (_what, options, outcome) => {
    // Not yet due, so that the count can be set before anybody reads it.
    const { jobId } = await submit({ plan: 'snooze', times: 1 }, { delayMs: 200, ...options });
    const record = jobs.link.keys(Task.type).job(jobId.split('_').at(-1) ?? '');
    const snoozes = Buffer.alloc(2);
    snoozes.writeUInt16LE(1_000);
    await jobs.link.redis.setrange(record, 9, snoozes);
    expect(await jobs.until(jobId, ended)).toMatchObject(outcome);
  });

  it('is buried when its result is too large to keep, and does not run again', async () => {
    const { jobId } = await submit({ plan: 'huge' });
    const job = await jobs.until(jobId, ended);
    expect(job).toMatchObject({ status: 'failed', attempt: 1, error: { code: 'result_too_large' } });
  });

  it('that cannot be read is buried alone, and its neighbours run', async () => {
    const plans = ['first', 'second', 'third'];
    // Not yet due, so that the record can be spoiled before anybody reads it.
    const ids = await Promise.all(plans.map(async (plan) => (await submit({ plan }, { delayMs: 200 })).jobId));
    const spoiled = jobs.link.keys(Task.type).job(ids[1]?.split('_').at(-1) ?? '');
    await jobs.link.redis.setrange(spoiled, 0, Buffer.from([9]));
    for (const jobId of [ids[0], ids[2]]) expect((await jobs.until(jobId ?? '', ended)).status).toBe('succeeded');
    await eventually(async () => {
      expect((await jobs.status.depth(Task.type)).counts).toMatchObject({ failed: 1, processing: 0, queued: 0 });
    });
  });

  it('starts a delayed job on time', async () => {
    const { jobId, status } = await submit({ plan: 'ok' }, { delayMs: 150 });
    expect(status).toBe('scheduled');
    const job = await jobs.until(jobId, ended);
    const lateMs = (job.startedAt?.getTime() ?? 0) - job.createdAt.getTime() - 150;
    expect(lateMs).toBeGreaterThanOrEqual(0);
    expect(lateMs).toBeLessThan(200);
  });
});
