import { JobHandler, WorkerHealth, defineJob, fixed, unchecked, type Handles, type JobContext } from '@antrean/jobs';
import { setClockOffset } from '@antrean/jobs/testing';
import { parseJobId } from '../../libs/jobs/src/definition/job-id.js';
import { WorkerRuntime } from '../../libs/jobs/src/runtime/worker-runtime.js';
import { promote } from '../../libs/jobs/src/store/promote.js';
import { read, type Snapshot } from '../../libs/jobs/src/store/read.js';
import { eventually } from '../support/eventually.js';
import { startJobsApp, type JobsApp } from '../support/jobs-app.js';
import { newKeyPrefix } from '../support/shared-redis.js';
import { ANY_PACE } from '../support/any-pace.js';

const HOUR = 3_600_000;
const policy = { payload: unchecked<{ ends: boolean }>(), timeout: '20ms', grace: '0ms', retry: fixed('10ms') } as const;
const Stay = defineJob('stay.run', { ...policy, attempts: 2, concurrency: { worker: 2 } });
const Also = defineJob('also.run', { ...policy, attempts: 1, concurrency: { worker: 1 } });

/** What lets handlers end that do not end by themselves. */
const leaves: (() => void)[] = [];

function stay({ payload }: JobContext<typeof Stay>): Promise<void> {
  if (payload.ends) return Promise.resolve();
  return new Promise((resolve) => leaves.push(resolve));
}

@JobHandler(Stay)
class StayHandler implements Handles<typeof Stay> {
  readonly handle = stay;
}

@JobHandler(Also)
class AlsoHandler implements Handles<typeof Also> {
  readonly handle = stay;
}

describe('a worker with handlers that do not end', () => {
  let keyPrefix: string;
  let jobs: JobsApp;
  let health: WorkerHealth;

  const start = async (slots: number): Promise<void> => {
    // What a test leaves behind may run once more.
    keyPrefix = newKeyPrefix();
    jobs = await startJobsApp([Stay, Also], [StayHandler, AlsoHandler], { keyPrefix, slots });
    health = jobs.app.get(WorkerHealth);
    const worker = jobs.app.get(WorkerRuntime).current;
    if (worker === undefined) throw new Error('There is no worker.');
    jest.spyOn(worker, 'roundAgeMs', 'get').mockReturnValue(0);
  };
  const haveZombies = (zombies: number): Promise<void> =>
    eventually(() => {
      expect(health.detail().zombies).toBe(zombies);
    });
  /** Once all slots have been held for 100 ms; a claim loop that stands still for long is another matter. */
  const live = (): boolean => health.live(100);

  afterEach(async () => {
    for (const leave of leaves.splice(0)) leave();
    await jobs.close();
  });

  it('sends a job on for longer each time that it comes again, up to a minute, and loses nothing of it', async () => {
    await start(100);
    const { jobId } = await jobs.queue.enqueue(Stay, { ends: false }, { expiresInMs: HOUR, priority: 7 });
    await haveZombies(1);
    const { type, ulid } = parseJobId(jobId) ?? {};
    if (type === undefined || ulid === undefined) throw new Error(`${jobId} is no id of a job.`);
    const next = (revision: number): Promise<Snapshot> =>
      eventually(async () => {
        const snapshot = await read(jobs.link, type, ulid);
        if (snapshot?.record.status !== 'scheduled' || snapshot.record.revision === revision) throw new Error('It did not come.');
        return snapshot;
      });
    const delays: number[] = [];
    for (let time = 1, revision = 0; time <= 8; time += 1) {
      const { record, now } = await next(revision);
      delays.push(Math.round((record.dueAt - now) / 1_000));
      revision = record.revision;
      expect(record).toMatchObject({ attempt: 1, runs: 1, crashes: 0, priority: 7, expiresAt: record.createdAt + HOUR });
      await setClockOffset(jobs.link.redis, keyPrefix, type, time * 61_000);
      await promote(jobs.link, type, { limit: 1, keepFinished: true, pace: ANY_PACE });
    }
    expect(delays).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
    await setClockOffset(jobs.link.redis, keyPrefix, type, 2 * HOUR);
    await promote(jobs.link, type, { limit: 1, keepFinished: true, pace: ANY_PACE });
    expect(await jobs.status.get(jobId)).toMatchObject({ status: 'expired' });
  });

  it('is not live any more once they have held all slots of the process for long, until one of them ends', async () => {
    await start(2);
    await jobs.queue.enqueue(Also, { ends: false });
    await haveZombies(1);
    await jobs.queue.enqueue(Stay, { ends: false }, { maxAttempts: 1 });
    await haveZombies(2);
    expect(health.live()).toBe(true);
    expect(health.detail()).toMatchObject({ running: 2, zombies: 2 });
    await eventually(() => {
      expect(live()).toBe(false);
    });
    leaves.pop()?.();
    await haveZombies(1);
    expect(live()).toBe(true);
  });

  it('is not live any more once they have held all places of every type for long', async () => {
    await start(100);
    await jobs.queue.enqueueBulk(Stay, [{ payload: { ends: false } }, { payload: { ends: false } }]);
    await haveZombies(2);
    const worker = jobs.app.get(WorkerRuntime).current;
    expect(worker?.clogMs).toBe(0);
    await jobs.queue.enqueue(Also, { ends: false });
    await haveZombies(3);
    expect(worker?.clogMs).toBeGreaterThan(0);
    await eventually(() => {
      expect(live()).toBe(false);
    });
  });

  it('is live while they are within their time, and while a slot is left', async () => {
    await start(3);
    await jobs.queue.enqueue(Stay, { ends: false }, { timeoutMs: HOUR });
    await jobs.queue.enqueueBulk(Stay, [{ payload: { ends: false } }]);
    await jobs.queue.enqueue(Also, { ends: false });
    await haveZombies(2);
    expect(jobs.app.get(WorkerRuntime).current?.clogMs).toBe(0);
  });
});
