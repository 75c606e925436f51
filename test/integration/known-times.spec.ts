import { JobHandler, defineJob, unchecked, type Handles } from '@antrean/jobs';
import { WORKER_IDENTITY } from '@antrean/jobs/testing';
import type { Claimed, WorkerIdentity } from '../../libs/jobs/src/store/exchange.js';
import { Ear } from '../support/ear.js';
import { eventually } from '../support/eventually.js';
import { startJobsApp, type JobsApp } from '../support/jobs-app.js';
import { StoredQueue, type StoredWorker } from '../support/stored-queue.js';

const Run = defineJob('known.run', { payload: unchecked<object>() });

@JobHandler(Run)
class RunHandler implements Handles<typeof Run> {
  handle(): Promise<void> {
    return Promise.resolve();
  }
}

const DELAY_MS = 1_000;

describe('a job that waits for its retry', () => {
  let observer: JobsApp;
  let idle: JobsApp;
  let queue: StoredQueue;
  let jobId: string;
  let settler: StoredWorker;
  let job: Claimed;
  let ear: Ear;

  /** One worker runs the job, another waits to be woken. */
  beforeEach(async () => {
    observer = await startJobsApp([Run], [RunHandler], { types: ['!*'] });
    queue = StoredQueue.of(observer.link, Run.type);
    ear = await Ear.of(queue);
    ({ jobId } = await observer.queue.enqueue(Run, {}));
    settler = queue.newWorker();
    const [claimed] = (await settler.exchange({ want: 1 })).claimed;
    if (claimed === undefined) throw new Error('Nothing was claimed.');
    job = claimed;
    idle = await startJobsApp([Run], [RunHandler], { keyPrefix: observer.link.keyPrefix });
    const number = String(idle.app.get<WorkerIdentity>(WORKER_IDENTITY).number);
    const channel = queue.keys.wake(number);
    await eventually(async () => {
      expect(await idle.link.redis.call('PUBSUB', 'SHARDNUMSUB', channel)).toEqual([channel, 1]);
      expect(await idle.link.redis.zrevrange(queue.keys.idle, 0, 0)).toEqual([number]);
    });
  });

  afterEach(async () => {
    ear.close();
    await Promise.all([idle.close(), observer.close()]);
  });

  const fail = () =>
    settler.exchange({
      settles: [{ ...job, settlement: { event: 'retry', outcome: 'failed', delayMs: DELAY_MS, json: '{"name":"Error"}' } }],
    });

  const mustRunInTime = async (): Promise<void> => {
    const { startedAt, runAt } = await observer.until(jobId, ({ status }) => status === 'succeeded');
    expect((startedAt?.getTime() ?? Infinity) - runAt.getTime()).toBeLessThan(DELAY_MS);
  };

  it('runs in time when nothing is heard any more of the worker that it failed on', async () => {
    await fail();
    await mustRunInTime();
  });

  it('runs in time when the only worker that was told of it leaves', async () => {
    const told = queue.newWorker();
    await ear.listenFor(told);
    await told.exchange({ want: 1 });
    await fail();
    expect(await ear.drain()).toEqual([queue.keys.wake(told.number)]);
    await told.exchange({ want: 'leave' });
    await mustRunInTime();
  });
});
