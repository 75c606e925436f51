import { ControlService, JobHandler, WorkerHealth, defineJob, fixed, unchecked, type Handles } from '@antrean/jobs';
import { WORKER_IDENTITY, setClockOffset } from '@antrean/jobs/testing';
import { createLogger } from '@antrean/platform';
import { WorkerRuntime } from '../../libs/jobs/src/runtime/worker-runtime.js';
import { crashOverdue } from '../../libs/jobs/src/store/crash-overdue.js';
import type { WorkerIdentity } from '../../libs/jobs/src/store/exchange.js';
import { eventually } from '../support/eventually.js';
import { startJobsApp, type JobsApp } from '../support/jobs-app.js';

const HOUR = 3_600_000;
const Stay = defineJob('stay.run', { payload: unchecked<object>(), timeout: '1m', grace: '0ms', retry: fixed('1m') });

/** What lets handlers end; they do not listen to their signal. */
const leaves: (() => void)[] = [];

@JobHandler(Stay)
class StayHandler implements Handles<typeof Stay> {
  handle(): Promise<void> {
    return new Promise((resolve) => leaves.push(resolve));
  }
}

describe('a worker in which a suspect goes on after its run was taken', () => {
  let jobs: JobsApp;
  let lines: Record<string, unknown>[];

  beforeEach(async () => {
    lines = [];
    const stream = { write: (line: string) => lines.push(JSON.parse(line) as Record<string, unknown>) };
    const logger = createLogger({ app: 'worker', level: 'warn', format: 'json' }, stream);
    jobs = await startJobsApp([Stay], [StayHandler], { slots: 9, logger });
    const worker = jobs.app.get(WorkerRuntime).current;
    if (worker === undefined) throw new Error('There is no worker.');
    // A claim loop that stands still for long is another matter.
    jest.spyOn(worker, 'roundAgeMs', 'get').mockReturnValue(0);
  });

  afterEach(async () => {
    leaveAll();
    await jobs.close();
  });

  const leaveAll = (): void => {
    for (const leave of leaves.splice(0)) leave();
  };
  const clogMs = (): number | undefined => jobs.app.get(WorkerRuntime).current?.clogMs;
  const running = (count: number): Promise<void> =>
    eventually(() => {
      expect(leaves).toHaveLength(count);
    });

  /** As the heart's thread does while the event loop is blocked. */
  const crashAll = async (blameShared: boolean): Promise<void> => {
    const { number: workerNumber } = jobs.app.get<WorkerIdentity>(WORKER_IDENTITY);
    await setClockOffset(jobs.link.redis, jobs.link.keyPrefix, Stay.type, HOUR);
    const call = { type: Stay.type, workerNumber, graceMs: 0, maxCrashes: 2, blameShared, offset: 0, limit: 9 };
    const keep = { keepFinished: true, keepFailed: true, crashJson: '{}', poisonJson: '{}' };
    const { jobs: taken } = await crashOverdue(jobs.link, { ...call, ...keep });
    await setClockOffset(jobs.link.redis, jobs.link.keyPrefix, Stay.type, 0);
    jobs.heart.onTaken(Stay.type, taken);
  };

  /** Suspects, one of which runs. */
  const haveSuspects = async (count: number): Promise<void> => {
    await Promise.all(Array.from({ length: count }, () => jobs.queue.enqueue(Stay, {})));
    await running(count);
    await crashAll(false);
    leaveAll();
    await running(1);
  };

  it('is not live any more once another has waited for its end for long, and the log names it', async () => {
    await haveSuspects(2);
    expect(clogMs()).toBe(0);
    await crashAll(true);
    expect(lines).toContainEqual(expect.objectContaining({ msg: expect.stringContaining('no other such job runs') as string }));
    await eventually(() => {
      expect(clogMs()).toBeGreaterThan(100);
    });
    expect(jobs.app.get(WorkerHealth).live(100)).toBe(false);
    leaveAll();
    await running(1);
    expect(clogMs()).toBe(0);
  });

  it('is live once those that waited were cancelled', async () => {
    await haveSuspects(2);
    await crashAll(true);
    await eventually(() => {
      expect(clogMs()).toBeGreaterThan(0);
    });
    const { link } = jobs;
    for (const entry of await link.redis.lrange(link.keys(Stay.type).suspects, 0, -1)) {
      await jobs.app.get(ControlService).cancel(`${Stay.type}_${entry}`);
    }
    // With the next call the worker learns of it.
    await jobs.queue.enqueue(Stay, {});
    await running(2);
    expect(clogMs()).toBe(0);
  });

  it('is live once another worker has taken those that waited', async () => {
    await haveSuspects(1);
    await crashAll(true);
    await eventually(() => {
      expect(clogMs()).toBeGreaterThan(0);
    });
    const { keyPrefix } = jobs.link;
    const other = await startJobsApp([Stay], [StayHandler], { keyPrefix, slots: 1 });
    await running(2);
    // The other has no slot left.
    await jobs.queue.enqueue(Stay, {});
    await running(3);
    expect(jobs.app.get(WorkerRuntime).current?.zombies).toBe(1);
    expect(clogMs()).toBe(0);
    leaveAll();
    await other.close();
  });
});
