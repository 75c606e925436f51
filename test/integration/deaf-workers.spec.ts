import { JobHandler, defineJob, fixed, unchecked, type Handles, type JobContext } from '@antrean/jobs';
import { WORKER_IDENTITY } from '@antrean/jobs/testing';
import type { WorkerIdentity } from '../../libs/jobs/src/store/exchange.js';
import { Ear } from '../support/ear.js';
import { eventually } from '../support/eventually.js';
import { startJobsApp, type JobsApp } from '../support/jobs-app.js';
import { StoredQueue } from '../support/stored-queue.js';

interface Plan {
  readonly failsFirst?: boolean;
  readonly staysUntilStopped?: boolean;
}

const Run = defineJob('deaf.run', {
  payload: unchecked<Plan>(),
  retry: fixed('5s'),
});

@JobHandler(Run)
class RunHandler implements Handles<typeof Run> {
  async handle({ payload, attempt, signal }: JobContext<typeof Run>): Promise<void> {
    if (payload.failsFirst === true && attempt === 1) throw new Error('The first time it fails.');
    if (payload.staysUntilStopped !== true) return;
    await new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => {
        resolve();
      });
    });
    signal.throwIfAborted();
  }
}

/** Workers that are idle, hear that there is work, and do not answer: a blocked event loop, a stopped process, a host that is gone. */
describe('workers that hear and do not answer', () => {
  const apps: JobsApp[] = [];
  let queue: StoredQueue;
  let ear: Ear;

  const startApp = async (keyPrefix?: string): Promise<JobsApp> => {
    const prefix = keyPrefix === undefined ? {} : { keyPrefix };
    const app = await startJobsApp([Run], [RunHandler], { slots: 1, ...prefix });
    apps.push(app);
    queue = StoredQueue.of(app.link, Run.type);
    await untilIdle(app);
    return app;
  };

  /** The worker hears, and is the latest of those that wait to be woken. */
  const untilIdle = async (app: JobsApp): Promise<void> => {
    const number = String(app.app.get<WorkerIdentity>(WORKER_IDENTITY).number);
    const channel = queue.keys.wake(number);
    await eventually(async () => {
      expect(await app.link.redis.call('PUBSUB', 'SHARDNUMSUB', channel)).toEqual([channel, 1]);
      expect(await app.link.redis.zrevrange(queue.keys.idle, 0, 0)).toEqual([number]);
    });
  };

  const deafen = async (count: number): Promise<void> => {
    ear = await Ear.of(queue);
    for (let i = 0; i < count; i += 1) {
      const worker = queue.newWorker();
      expect((await worker.exchange({ want: 1 })).idle).toBe(true);
      await ear.listenFor(worker);
    }
  };

  afterEach(async () => {
    ear.close();
    await Promise.all(apps.splice(0).map((app) => app.close()));
  });

  it.each([
    [1, 1_000],
    [3, 2_500],
  ])('hold up a submitted job for a moment only: %i of them', async (count, withinMs) => {
    const app = await startApp();
    await deafen(count);
    const { jobId } = await app.queue.enqueue(Run, {});
    const job = await app.until(jobId, ({ status }) => status === 'succeeded');
    expect((job.startedAt?.getTime() ?? Infinity) - job.createdAt.getTime()).toBeLessThan(withinMs);
    expect(await ear.drain()).toHaveLength(count);
  });

  it('hold up a promoted job for a moment only', async () => {
    const app = await startApp();
    const { jobId } = await app.queue.enqueue(Run, { failsFirst: true });
    const { nextAttemptAt } = await app.until(jobId, ({ status }) => status === 'retrying');
    await deafen(1);
    const job = await app.until(jobId, ({ status }) => status === 'succeeded');
    expect((job.startedAt?.getTime() ?? Infinity) - (nextAttemptAt?.getTime() ?? 0)).toBeLessThan(1_000);
    expect(await ear.drain()).toHaveLength(1);
  });

  it('hold up what a full worker leaves to others for a moment only', async () => {
    const other = await startApp();
    await deafen(1);
    await startApp(other.link.keyPrefix);
    // Nobody but the worker that takes the first can know that the second is left.
    await queue.add([{ payloadJson: '{"staysUntilStopped":true}' }, {}]);
    await eventually(async () => {
      expect((await queue.depth()).counts).toMatchObject({ processing: 1, succeeded: 1 });
    }, 3_000);
    expect(await ear.drain()).toHaveLength(1);
  });
});
