import { JobHandler, custom, defineJob, unchecked, type Handles, type JobContext } from '@antrean/jobs';
import { createLogger } from '@antrean/platform';
import { startJobsApp, type JobsApp } from '../support/jobs-app.js';

const thrower = (): never => {
  throw new Error('user code threw');
};

const Fragile = defineJob('fragile.run', {
  payload: unchecked<{ name: string; fails?: boolean }>(),
  attempts: 2,
  permanent: thrower,
  retry: custom(thrower),
  dedupe: { key: ({ name }) => (name === 'no key' ? thrower() : undefined) },
});

@JobHandler(Fragile)
class FragileHandler implements Handles<typeof Fragile> {
  handle({ payload, log, progress }: JobContext<typeof Fragile>): string {
    log.info('running');
    progress(50);
    if (payload.fails === true) throw new Error('handler failed');
    return payload.name;
  }
}

describe('user code that throws wherever the library calls it', () => {
  let jobs: JobsApp;

  beforeAll(async () => {
    const logger = createLogger({ app: 'worker', level: 'trace', format: 'json' }, { write: thrower });
    jobs = await startJobsApp([Fragile], [FragileHandler], { logger });
  });

  afterAll(async () => {
    await jobs.close();
  });

  it('harms no job when it is the log: jobs are submitted, run and settled', async () => {
    const { jobId } = await jobs.queue.enqueue(Fragile, { name: 'kept' });
    expect(await jobs.until(jobId, ({ status }) => status === 'succeeded')).toMatchObject({
      result: 'kept',
      runs: [{ number: 1 }],
    });
    expect(await jobs.status.logs(jobId)).toMatchObject([{ message: 'running' }]);
    await jobs.control.remove(jobId);
  });

  it('harms no job when it is the classifier or the back-off: the job is tried again after the longest default wait', async () => {
    const { jobId } = await jobs.queue.enqueue(Fragile, { name: 'kept', fails: true });
    const job = await jobs.until(jobId, ({ status }) => status === 'retrying');
    expect(job.error).toMatchObject({ message: 'handler failed' });
    expect((job.nextAttemptAt?.getTime() ?? 0) - (job.lastFailedAt?.getTime() ?? 0)).toBe(600_000);
  });

  it('refuses the submit it throws at when it makes the dedupe key, and no other of the same turn', async () => {
    const [refused, accepted] = await Promise.allSettled([
      jobs.queue.enqueue(Fragile, { name: 'no key' }),
      jobs.queue.enqueue(Fragile, { name: 'with key' }),
    ]);
    expect(refused).toMatchObject({ reason: { message: 'user code threw' } });
    expect(accepted.status).toBe('fulfilled');
  });
});
