import { register } from 'prom-client';
import { JobHandler, defineJob, fixed, unchecked, type Handles, type JobContext } from '@antrean/jobs';
import { WORKER_IDENTITY, setClockOffset } from '@antrean/jobs/testing';
import { WorkerRuntime } from '../../libs/jobs/src/runtime/worker-runtime.js';
import { crashOverdue } from '../../libs/jobs/src/store/crash-overdue.js';
import type { WorkerIdentity } from '../../libs/jobs/src/store/exchange.js';
import type { StoredJob } from '../../libs/jobs/src/store/reply.js';
import { eventually } from '../support/eventually.js';
import { startJobsApp, type JobsApp } from '../support/jobs-app.js';

const HOUR = 3_600_000;
const Stay = defineJob('stay.run', { payload: unchecked<object>(), timeout: '1m', grace: '0ms', retry: fixed('1m') });

/** What lets handlers end, and what their signals told them. */
const leaves: (() => void)[] = [];
const aborts: unknown[] = [];

@JobHandler(Stay)
class StayHandler implements Handles<typeof Stay> {
  handle({ signal }: JobContext): Promise<void> {
    signal.addEventListener('abort', () => aborts.push(signal.reason));
    return new Promise((resolve) => leaves.push(resolve));
  }
}

describe('a worker whose runs do not stand under it any more', () => {
  let jobs: JobsApp;
  /** How many handlers its heart was told to count beside those that Redis counts, time by time. */
  let told: number[];

  beforeEach(async () => {
    jobs = await startJobsApp([Stay], [StayHandler], { slots: 2 });
    told = [];
    jest.spyOn(jobs.heart, 'tellBeyondRedis').mockImplementation(() => told.push(jobs.heart.beyondRedis()));
  });

  afterEach(async () => {
    for (const leave of leaves.splice(0)) leave();
    aborts.length = 0;
    await jobs.close();
  });

  const start = async (timeoutMs: number): Promise<string> => {
    const { jobId } = await jobs.queue.enqueue(Stay, {}, { timeoutMs });
    await jobs.until(jobId, ({ status }) => status === 'processing');
    await eventually(() => {
      expect(leaves).toHaveLength(1);
    });
    return jobId;
  };

  /** As the heart's thread does while the event loop is blocked. */
  const take = async (): Promise<readonly StoredJob[]> => {
    const { number: workerNumber } = jobs.app.get<WorkerIdentity>(WORKER_IDENTITY);
    await setClockOffset(jobs.link.redis, jobs.link.keyPrefix, Stay.type, HOUR);
    const call = { type: Stay.type, workerNumber, graceMs: 0, maxCrashes: 3, blameShared: false, offset: 0, limit: 9 };
    const { jobs: taken } = await crashOverdue(jobs.link, {
      ...call,
      ...{ keepFinished: true, keepFailed: true, crashJson: '{}', poisonJson: '{}' },
    });
    return taken;
  };

  it('counts one that was taken until its handler has ended, which is told to stop, and settles nothing for it', async () => {
    await start(60_000);
    const taken = await take();
    expect(taken).toHaveLength(1);
    jobs.heart.onTaken(Stay.type, taken);
    await expect(register.getSingleMetric('antrean_job_crashes_total')?.get()).resolves.toMatchObject({
      values: [
        { value: 0, labels: { type: Stay.type, reason: 'worker_lost' } },
        { value: 1, labels: { type: Stay.type, reason: 'loop_blocked' } },
      ],
    });
    expect([told, jobs.app.get(WorkerRuntime).current?.zombies]).toEqual([[1], 1]);
    expect(aborts).toMatchObject([{ code: 'lease_lost' }]);
    leaves.pop()?.();
    await eventually(() => {
      expect(told).toEqual([1, 0]);
    });
    expect(jobs.app.get(WorkerRuntime).current?.zombies).toBe(0);
  });

  it('comes for work at once when it is told of those that were taken, since nobody wakes it any more', async () => {
    const jobId = await start(60_000);
    const taken = await take();
    expect(await jobs.status.get(jobId)).toMatchObject({ status: 'queued' });
    jobs.heart.onTaken(Stay.type, taken);
    // Its earlier run goes on here, so it is sent on.
    await jobs.until(jobId, ({ status }) => status === 'scheduled');
  });

  it('leaves a later run of the same job alone', async () => {
    const jobId = await start(60_000);
    const taken = await take();
    const [job] = taken;
    if (job === undefined) throw new Error('Nothing was taken.');
    jobs.heart.onTaken(Stay.type, [{ ...job, record: { ...job.record, runs: job.record.runs + 1 } }]);
    expect([jobId, told, aborts]).toEqual([jobId, [], []]);
  });

  it('counts one that was settled as timed out from when its settle leaves', async () => {
    await start(50);
    await eventually(() => {
      expect(told).toEqual([1]);
    });
    leaves.pop()?.();
    await eventually(() => {
      expect(told).toEqual([1, 0]);
    });
  });

  it('counts one whose lease was lost', async () => {
    await start(60_000);
    await jobs.link.redis.del(jobs.link.keys(Stay.type).leases, jobs.link.keys(Stay.type).running);
    await jobs.heart.beat();
    await eventually(() => {
      expect(told).toEqual([1]);
    });
  });
});
