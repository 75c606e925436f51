import { JobHandler, defineJob, unchecked, type Handles, type JobContext } from '@antrean/jobs';
import { InHand } from '../../libs/jobs/src/runtime/in-hand.js';
import { Lane, type Request } from '../../libs/jobs/src/runtime/lane.js';
import { WORKER_IDENTITY } from '@antrean/jobs/testing';
import type { WorkerIdentity } from '../../libs/jobs/src/store/exchange.js';
import { eventually } from '../support/eventually.js';
import { startJobsApp, type JobsApp } from '../support/jobs-app.js';
import { silentLogger } from '../support/shared-redis.js';
import { LEASE_MS, StoredQueue } from '../support/stored-queue.js';

const LIVING = new AbortController().signal;
const nothing = () => undefined;

describe('a lane', () => {
  let queue: StoredQueue;
  let lane: Lane;

  beforeEach(async () => {
    queue = await StoredQueue.open();
    lane = new Lane(queue.link, 0, silentLogger, nothing);
  });

  afterEach(async () => {
    await queue.close();
  });

  const request = (more: Partial<Request>): Request => ({
    type: queue.type,
    worker: queue.newWorker().identity,
    leaseMs: LEASE_MS,
    want: 0,
    suspects: true,
    version: 1,
    keepFinished: true,
    keepFailed: true,
    settles: [],
    ...more,
  });

  it('walks upwards through the priorities with every tenth claim, however many other calls it makes', async () => {
    const { worker } = request({});
    const priorities: number[] = [];
    for (let claim = 1; claim <= 30; claim += 1) {
      await queue.add(Array.from({ length: 10 }, (_, priority) => ({ priority })));
      const answer = await lane.exchange(request({ worker, want: 1 }), LIVING, nothing);
      const [job] = answer?.reply.claimed ?? [];
      if (job === undefined) throw new Error('Nothing was claimed.');
      priorities.push(job.record.priority);
      await lane.exchange(
        request({ worker, settles: [{ ulid: job.ulid, token: job.token, settlement: { event: 'succeed', json: '' } }] }),
        LIVING,
        nothing,
      );
    }
    const upwards = priorities.flatMap((priority, index) => (priority === 9 ? [] : [[index + 1, priority]]));
    expect(upwards).toEqual([
      [10, 0],
      [20, 0],
      [30, 0],
    ]);
  });

  it('tells once that it is not answered, tries again, and says when it did', async () => {
    const refused = new Error('MISCONF Redis is configured to save RDB snapshots, but cannot');
    const call = jest.spyOn(queue.redis, 'callBuffer').mockRejectedValueOnce(refused).mockRejectedValueOnce(refused);
    const onAway = jest.fn();
    const startedAt = performance.now();
    await expect(lane.exchange(request({ want: 1 }), LIVING, onAway)).resolves.toMatchObject({ reply: { claimed: [] } });
    expect(onAway).toHaveBeenCalledTimes(1);
    // It rests 50 ms after the first failure and 100 ms after the second.
    expect(lane.lastTriedAt - startedAt).toBeGreaterThan(100);
    call.mockRestore();
  });
});

const Held = defineJob('held.run', { payload: unchecked<object>() });
const Other = defineJob('other.run', { payload: unchecked<object>() });

@JobHandler(Held)
class HeldHandler implements Handles<typeof Held> {
  async handle({ signal }: JobContext): Promise<void> {
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      signal.addEventListener('abort', () => {
        resolve();
      });
    });
    signal.throwIfAborted();
  }
}

@JobHandler(Other)
class OtherHandler implements Handles<typeof Other> {
  handle(): void {
    // Done at once.
  }
}

describe('a worker whose calls are not answered', () => {
  let jobs: JobsApp;

  beforeEach(async () => {
    jobs = await startJobsApp([Held, Other], [HeldHandler, OtherHandler], { slots: 1, types: ['*'] });
  });

  afterEach(async () => {
    await jobs.close();
  });

  /** Lets something happen to every claim and settle of the type, before and after Redis has carried it out. */
  const intercept = (type: string, { before = nothing, after = nothing }: Record<string, () => unknown>) => {
    const { redis } = jobs.link;
    const call = redis.callBuffer.bind(redis);
    return jest.spyOn(redis, 'callBuffer').mockImplementation(async (...args: Parameters<typeof call>) => {
      const isOfType = args.length > 30 && args.some((arg) => typeof arg === 'string' && arg.includes(`{${type}}`));
      if (isOfType) await before();
      const reply = await call(...args);

      if (isOfType) await after();
      return reply;
    });
  };

  it('lets other types have the slots meanwhile', async () => {
    const spy = intercept(Held.type, { before: () => Promise.reject(new Error('CLUSTERDOWN The cluster is down')) });
    await jobs.queue.enqueue(Held, {});
    // Two, so that both lanes of the type that is away have asked.
    for (let nth = 0; nth < 2; nth += 1) {
      const { jobId } = await jobs.queue.enqueue(Other, {});
      await jobs.until(jobId, ({ status }) => status === 'succeeded');
    }
    spy.mockRestore();
  });

  it('starts no job whose claim is answered when most of the lease is over, and hands it back uncounted', async () => {
    const handBack = jest.spyOn(InHand.prototype, 'giveBack');
    const exchange = Reflect.get(Lane.prototype, 'exchange');
    const late = jest.spyOn(Lane.prototype, 'exchange').mockImplementation(async function (this: Lane, ...args) {
      const answer = await exchange.apply(this, args);
      if (answer === undefined || handBack.mock.calls.length > 0) return answer;
      return { ...answer, sentAt: answer.sentAt - 0.8 * 30_000 };
    });
    const { jobId } = await jobs.queue.enqueue(Other, {});
    const job = await jobs.until(jobId, ({ status }) => status === 'succeeded');
    expect(handBack).toHaveBeenCalledTimes(1);
    expect(job).toMatchObject({ attempt: 1, crashes: 0, runs: [{ number: 1, outcome: 'succeeded' }] });
    late.mockRestore();
    handBack.mockRestore();
  });

  it('stops a job that was cancelled while the answer with its claim was on its way', async () => {
    let release = nothing;
    const released = new Promise((resolve) => {
      release = () => {
        resolve(undefined);
        return undefined;
      };
    });
    const { number } = jobs.app.get<WorkerIdentity>(WORKER_IDENTITY);
    const channel = jobs.link.keys(Held.type).wake(String(number));
    await eventually(async () => {
      expect(await jobs.link.redis.call('PUBSUB', 'SHARDNUMSUB', channel)).toEqual([channel, 1]);
    });
    const spy = intercept(Held.type, { after: () => released });
    const { jobId } = await jobs.queue.enqueue(Held, {});
    await jobs.until(jobId, ({ status }) => status === 'processing');
    await jobs.control.cancel(jobId);
    // The message was sent before the cancel was answered; the worker reads it, on a connection of its own, in one of these turns.
    for (let turn = 0; turn < 20; turn += 1) await jobs.link.redis.ping();
    release();
    spy.mockRestore();
    await eventually(async () => {
      expect((await jobs.status.get(jobId))?.status).toBe('cancelled');
    }, 3_000);
  });
});
