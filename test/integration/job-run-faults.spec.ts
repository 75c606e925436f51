import { JobHandler, Snooze, defineJob, fixed, unchecked, type Handles, type Job, type JobContext } from '@antrean/jobs';
import { createLogger } from '@antrean/platform';
import { startJobsApp, type JobsApp } from '../support/jobs-app.js';

const refuse = (): never => {
  throw new Error('Hands off.');
};

/** Its back-off cannot even be read. */
const Broken = defineJob('broken.run', {
  payload: unchecked<object>(),
  retry: Object.defineProperty({ kind: 'custom' as const, delayMs: () => 0 }, 'delayMs', { get: refuse }),
});

@JobHandler(Broken)
class BrokenHandler implements Handles<typeof Broken> {
  handle(): void {
    throw new Error('handler failed');
  }
}

const Sleepy = defineJob('sleepy.run', { payload: unchecked<object>(), retry: fixed('1h') });

@JobHandler(Sleepy)
class SleepyHandler implements Handles<typeof Sleepy> {
  handle(): void {
    throw new Proxy(new Snooze('1s'), { get: refuse });
  }
}

const Resumed = defineJob('resumed.run', { payload: unchecked<object>(), retry: fixed('1ms') });

/** Saves a checkpoint, fails, and succeeds on the next attempt. */
@JobHandler(Resumed)
class ResumedHandler implements Handles<typeof Resumed> {
  /** Done before the first attempt fails. */
  spoil: () => void = () => undefined;

  async handle({ attempt, checkpoint }: JobContext): Promise<unknown> {
    if (attempt > 1) return checkpoint.value;
    await checkpoint.save('saved');
    this.spoil();
    throw new Error('again');
  }
}

describe('a run that the worker cannot begin or end as it should', () => {
  let jobs: JobsApp;
  const logged: { msg: string; job_id?: string }[] = [];

  beforeAll(async () => {
    const write = (line: string) => logged.push(JSON.parse(line) as { msg: string });
    const logger = createLogger({ app: 'worker', level: 'error', format: 'json' }, { write });
    jobs = await startJobsApp([Broken, Sleepy, Resumed], [BrokenHandler, SleepyHandler, ResumedHandler], { logger });
  });

  afterAll(async () => {
    await jobs.close();
  });

  const waitAfter = ({ runs }: Job, run: number): number =>
    (runs[run]?.nextAttemptAt?.getTime() ?? NaN) - (runs[run]?.finishedAt?.getTime() ?? NaN);

  it('is tried again by the default back-off when that of its type cannot be read, and the log says so', async () => {
    const { jobId } = await jobs.queue.enqueue(Broken, {});
    // Of a back-off with jitter nobody knows how soon the next run follows.
    const job = await jobs.until(jobId, ({ error }) => error !== null);
    expect(job).toMatchObject({ error: { message: 'handler failed' } });
    expect(job.runs[0]?.outcome).toBe('failed');
    expect(waitAfter(job, 0)).toBeLessThanOrEqual(1_000);
    expect(logged).toContainEqual(
      expect.objectContaining({ msg: 'a failure cannot be judged, the job is tried again', job_id: jobId }),
    );
  });

  it('snoozes by the back-off when what was thrown does not say how long', async () => {
    const { jobId } = await jobs.queue.enqueue(Sleepy, {});
    const job = await jobs.until(jobId, ({ status }) => status !== 'queued' && status !== 'processing');
    expect(job.runs).toMatchObject([{ outcome: 'snoozed' }]);
    expect(waitAfter(job, 0)).toBe(3_600_000);
  });

  describe('because what earlier runs left is out of reach', () => {
    /** A job whose first attempt leaves a checkpoint; the first time that it is to be read, Redis answers with the error. */
    async function handedBack(error: Error): Promise<Job> {
      const { redis } = jobs.link;
      jobs.app.get(ResumedHandler).spoil = () => {
        redis.hgetall = () => {
          Reflect.deleteProperty(redis, 'hgetall');
          return Promise.reject(error);
        };
      };
      const { jobId } = await jobs.queue.enqueue(Resumed, {});
      const job = await jobs.until(jobId, ({ status }) => status === 'succeeded');
      expect(job).toMatchObject({ attempt: 2, result: 'saved', runs: [{}, { outcome: 'handed_back' }, {}] });
      return job;
    }

    it('goes back for a second, uncounted, and the log says why', async () => {
      const job = await handedBack(new Error('WRONGTYPE Operation against a key holding the wrong kind of value'));
      expect(waitAfter(job, 1)).toBe(1_000);
      expect(logged).toContainEqual(
        expect.objectContaining({ msg: 'what earlier runs left cannot be read, the job goes back', job_id: job.jobId }),
      );
    });

    it('goes back for a moment, and says nothing, when Redis is away', async () => {
      const job = await handedBack(new Error('Connection is closed.'));
      expect(waitAfter(job, 1)).toBe(200);
      expect(logged.filter(({ job_id }) => job_id === job.jobId)).toEqual([]);
    });
  });
});
