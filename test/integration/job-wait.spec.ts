import { getEventListeners, setMaxListeners } from 'node:events';
import { IsString } from 'class-validator';
import { waitUntilReady } from '@antrean/platform';
import { JobHandler, Sensitive, defineJob, unchecked, type Handles, type Job, type JobContext } from '@antrean/jobs';
import { setClockOffset } from '@antrean/jobs/testing';
import { parseJobId, type JobId } from '../../libs/jobs/src/definition/job-id.js';
import { cancel } from '../../libs/jobs/src/store/cancel.js';
import { promote } from '../../libs/jobs/src/store/promote.js';
import { remove } from '../../libs/jobs/src/store/remove.js';
import { replay } from '../../libs/jobs/src/store/replay.js';
import { Script } from '../../libs/jobs/src/store/script.js';
import { ClientCalls } from '../support/client-calls.js';
import { startJobsApp, type JobsApp } from '../support/jobs-app.js';
import { newKeyPrefix } from '../support/shared-redis.js';
import { TestRedis } from '../support/test-redis.js';
import { ANY_PACE } from '../support/any-pace.js';

/** Longer than any test; whoever is told of an end does not need it. */
const LONG = { timeoutMs: 60_000 };
/** Who is not told looks after 5 s. */
const TOLD_WITHIN_MS = 2_500;

const Guided = defineJob('guided.run', { payload: unchecked<{ name: string }>(), attempts: 1 });

/** Waits until it is told how to end. */
@JobHandler(Guided)
class GuidedHandler implements Handles<typeof Guided> {
  private readonly runs = new Map<string, (how: () => unknown) => void>();
  private readonly starts = new Map<string, () => void>();

  async handle({ payload }: JobContext<typeof Guided>): Promise<unknown> {
    const how = await new Promise<() => unknown>((end) => {
      this.runs.set(payload.name, end);
      this.starts.get(payload.name)?.();
    });
    return how();
  }

  /** Resolves once the job of that name, which is yet to be submitted, runs. */
  started(name: string): Promise<void> {
    return new Promise((resolve) => this.starts.set(name, resolve));
  }

  end(name: string, how: () => unknown): void {
    this.runs.get(name)?.(how);
  }
}

class Secret {
  @IsString()
  name!: string;

  @Sensitive()
  @IsString()
  password!: string;
}

/** Nobody runs it. */
const Idle = defineJob('idle.run', { payload: Secret });
const payload = { name: 'budi', password: 'hunter2' };

const WAIT_SHA = new Script('wait').sha;

describe('a wait for the end of a job', () => {
  // Connections are cut and the server is restarted, so this file has one of its own.
  let server: TestRedis;
  let calls: ClientCalls;
  let keyPrefix: string;
  let jobs: JobsApp;
  let handler: GuidedHandler;
  let names = 0;

  const start = (options: Parameters<typeof startJobsApp>[2] = {}) =>
    startJobsApp([Guided, Idle], [GuidedHandler], { redisUrl: server.url, keyPrefix, ...options });

  beforeAll(async () => {
    server = await TestRedis.start();
    // While nobody else is there: the client cannot begin to monitor amid the calls of others.
    calls = await ClientCalls.watch(server.url);
    keyPrefix = newKeyPrefix();
    jobs = await start();
    handler = jobs.app.get(GuidedHandler);
    // From now on the server knows the scripts by their hashes: each call goes out once, and they keep their order.
    const jobId = await submit();
    await jobs.status.wait(jobId, { timeoutMs: 100 });
    const id = idOf(jobId);
    await cancelAtOnce(id);
    await replayAtOnce(id);
    await cancelAtOnce(id);
    await remove(jobs.link, id.type, [id.ulid]);
  });

  beforeEach(() => {
    calls.take();
  });

  afterAll(async () => {
    calls.stop();
    await jobs.close();
    await server.stop();
  });

  const submit = async (options = {}) => (await jobs.queue.enqueue(Idle, payload, options)).jobId;

  const idOf = (jobId: string): JobId => {
    const id = parseJobId(jobId);
    if (id === undefined) throw new Error(`${jobId} is no id.`);
    return id;
  };

  const called = (name: string) => calls.take().filter(([command]) => command?.toLowerCase() === name);

  /** Once the end of a job that is waited for next will be told. */
  const listening = () => calls.next(([command, sha]) => command?.toLowerCase() === 'evalsha' && sha === WAIT_SHA);

  /** A wait that has begun: no end of the job escapes it any more. The answer is in a record, as a promise in a promise is awaited. */
  async function begin(jobId: string, options: Parameters<JobsApp['status']['wait']>[1] = LONG, app = jobs) {
    const ready = listening();
    const answer = app.status.wait(jobId, options);
    await ready;
    return { answer };
  }

  /** What the wait is told, and that it is told and did not look by itself. */
  async function told(answer: Promise<Job | undefined>): Promise<Job | undefined> {
    const asked = performance.now();
    const job = await answer;
    expect(performance.now() - asked).toBeLessThan(TOLD_WITHIN_MS);
    return job;
  }

  async function running() {
    const name = `job ${(names += 1)}`;
    const started = handler.started(name);
    const { jobId } = await jobs.queue.enqueue(Guided, { name });
    await started;
    return { name, jobId };
  }

  const replayAtOnce = ({ type, ulid }: JobId) => replay(jobs.link, type, [{ ulid, dedupeTtlMs: 0, record: undefined }]);

  const expireOne = async ({ keepFinished }: { readonly keepFinished: boolean }): Promise<void> => {
    await setClockOffset(jobs.link.redis, keyPrefix, Idle.type, 60_001);
    await promote(jobs.link, Idle.type, { limit: 1, keepFinished, pace: ANY_PACE });
    await setClockOffset(jobs.link.redis, keyPrefix, Idle.type, 0);
  };

  const cancelAtOnce = ({ type, ulid }: JobId) => cancel(jobs.link, type, [ulid]);

  describe('is answered with the job as soon as it', () => {
    it('succeeds', async () => {
      const { name, jobId } = await running();
      const { answer } = await begin(jobId);
      handler.end(name, () => 'done');
      expect(await told(answer)).toMatchObject({ jobId, status: 'succeeded', result: 'done' });
    });

    it('fails', async () => {
      const { name, jobId } = await running();
      const { answer } = await begin(jobId);
      handler.end(name, () => {
        throw new Error('no luck');
      });
      expect(await told(answer)).toMatchObject({ status: 'failed', error: { message: 'no luck' } });
    });

    it('is cancelled while it waits, and while it runs', async () => {
      const waiting = await submit();
      const { answer } = await begin(waiting);
      await jobs.control.cancel(waiting);
      expect(await told(answer)).toMatchObject({ status: 'cancelled' });
      const { name, jobId } = await running();
      const other = await begin(jobId);
      await jobs.control.cancel(jobId);
      handler.end(name, () => {
        throw new Error('stopped');
      });
      expect(await told(other.answer)).toMatchObject({ status: 'cancelled' });
    });

    it('expires', async () => {
      const jobId = await submit({ expiresInMs: 60_000 });
      const { answer } = await begin(jobId);
      await expireOne({ keepFinished: true });
      expect(await told(answer)).toMatchObject({ status: 'expired' });
    });

    it('ends again after a replay that came before the wait could look', async () => {
      const id = idOf(await submit());
      const { answer } = await begin(`${id.type}_${id.ulid}`);
      const again = listening();
      await Promise.all([cancelAtOnce(id), replayAtOnce(id)]);
      await again;
      await cancelAtOnce(id);
      expect(await told(answer)).toMatchObject({ status: 'cancelled', replays: 1 });
    });
  });

  describe('is answered with nothing', () => {
    it('when there is no such job, and for what is no id', async () => {
      expect(await jobs.status.wait('idle.run_01JDXBZ8K2M3N4P5Q6R7S8T9V0', LONG)).toBeUndefined();
      expect(await jobs.status.wait('nonsense', LONG)).toBeUndefined();
      expect(called('ssubscribe')).toEqual([]);
    });

    it('when the job is removed right after its end', async () => {
      const jobId = await submit();
      const id = idOf(jobId);
      const { answer } = await begin(jobId);
      await Promise.all([cancelAtOnce(id), remove(jobs.link, id.type, [id.ulid])]);
      expect(await told(answer)).toBeUndefined();
    });

    it('when finished jobs are not kept', async () => {
      const { answer } = await begin(await submit({ expiresInMs: 60_000 }));
      await expireOne({ keepFinished: false });
      expect(await told(answer)).toBeUndefined();
    });
  });

  it('is answered at once when the job has ended', async () => {
    const jobId = await submit();
    await jobs.control.cancel(jobId);
    calls.take();
    expect(await jobs.status.wait(jobId, LONG)).toMatchObject({ status: 'cancelled' });
    expect(called('ssubscribe')).toEqual([]);
  });

  it('is answered with the job as it is when its time is over', async () => {
    const jobId = await submit();
    expect(await jobs.status.wait(jobId, { timeoutMs: 50 })).toMatchObject({ status: 'queued' });
    expect(await jobs.status.wait(jobId, { timeoutMs: 0 })).toMatchObject({ status: 'queued' });
  });

  it('lasts as long as it is asked to, beyond what a timer can', async () => {
    const jobId = await submit();
    const { answer } = await begin(jobId, { timeoutMs: 2 ** 40 });
    await jobs.control.cancel(jobId);
    expect(await told(answer)).toMatchObject({ status: 'cancelled' });
  });

  it('is answered with the job as it is when its signal aborts, or had aborted before', async () => {
    const jobId = await submit();
    const { signal, ...stop } = abortable();
    const { answer } = await begin(jobId, { ...LONG, signal });
    stop.abort();
    expect(await told(answer)).toMatchObject({ status: 'queued' });
    expect(await told(jobs.status.wait(jobId, { ...LONG, signal }))).toMatchObject({ status: 'queued' });
  });

  it('shows the job as any other look does, and is no change of it', async () => {
    const jobId = await submit();
    const before = await jobs.status.get(jobId);
    expect(await jobs.status.wait(jobId, { timeoutMs: 50 })).toEqual(before);
    expect(before?.payload).toEqual({ name: 'budi', password: '[redacted]' });
    const revealed = await jobs.status.wait(jobId, { timeoutMs: 50, reveal: true });
    expect(revealed).toEqual({ ...before, payload });
  });

  it('shares one subscription with 200 others for the same job', async () => {
    const jobId = await submit();
    const ready = listening();
    const answers = Array.from({ length: 200 }, () => jobs.status.wait(jobId, LONG));
    await ready;
    await jobs.control.cancel(jobId);
    const statuses = (await Promise.all(answers)).map((job) => job?.status);
    expect(new Set(statuses)).toEqual(new Set(['cancelled']));
    expect(called('ssubscribe')).toHaveLength(1);
  });

  it('leaves nothing behind, however it ends', async () => {
    const { signal } = abortable();
    const last = await submit();
    const timers = countTimers();
    for (let round = 0; round < 10; round += 1) {
      const ids = await Promise.all(Array.from({ length: 100 }, () => submit()));
      const early = abortable();
      const answers = ids.map((jobId, n) =>
        jobs.status.wait(jobId, n % 3 === 0 ? { timeoutMs: 20 } : { ...LONG, signal: n % 3 === 1 ? early.signal : signal }),
      );
      early.abort();
      await Promise.all(ids.filter((_, n) => n % 3 === 2).map((jobId) => jobs.control.cancel(jobId)));
      await Promise.all(answers);
      expect(getEventListeners(early.signal, 'abort')).toEqual([]);
    }
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    // The channel of a later wait is opened after those of all others were left.
    const { answer } = await begin(last);
    const { type, ulid } = idOf(last);
    expect(await jobs.link.redis.call('PUBSUB', 'SHARDCHANNELS', '*:ended:*')).toEqual([jobs.link.keys(type).ended(ulid)]);
    await jobs.control.cancel(last);
    await answer;
    // Those of the worker come and go.
    expect(countTimers()).toBeLessThan(timers + 50);
  });

  it('ends with the job as it is when the application shuts down, which it does not hold up', async () => {
    const other = await start({ types: ['!*'] });
    const jobId = await submit();
    const { answer } = await begin(jobId, LONG, other);
    const closed = performance.now();
    const [job] = await Promise.all([answer, other.close()]);
    expect(job).toMatchObject({ status: 'queued' });
    expect(performance.now() - closed).toBeLessThan(TOLD_WITHIN_MS);
  });

  describe('outlasts', () => {
    it('the loss of the connection on which it would have been told', async () => {
      const jobId = await submit();
      const { answer } = await begin(jobId);
      await Promise.all([jobs.link.redis.call('CLIENT', 'KILL', 'TYPE', 'pubsub'), cancelAtOnce(idOf(jobId))]);
      expect(await told(answer)).toMatchObject({ status: 'cancelled' });
    });

    it('a Redis that has forgotten that somebody waits', async () => {
      const jobId = await submit();
      const { type, ulid } = idOf(jobId);
      const { answer } = await begin(jobId);
      const next = listening();
      await jobs.link.redis.setrange(jobs.link.keys(type).job(ulid), 2, '\0');
      await next;
      await jobs.control.cancel(jobId);
      expect(await told(answer)).toMatchObject({ status: 'cancelled' });
    });

    it('an outage of Redis, which is told to those alone whose first look or last falls into it', async () => {
      const [long, short] = [await submit(), await submit()];
      const { answer } = await begin(long);
      const over = await begin(short, { timeoutMs: 500 });
      calls.stop();
      await server.kill();
      const asked = performance.now();
      await expect(jobs.status.wait(long, LONG)).rejects.toMatchObject({ code: 'queue_unavailable' });
      expect(performance.now() - asked).toBeLessThan(2_000);
      await expect(over.answer).rejects.toMatchObject({ code: 'queue_unavailable' });
      await server.restart();
      expect(await waitUntilReady(jobs.link.redis, 10_000)).toBe(true);
      await jobs.control.cancel(long);
      expect(await answer).toMatchObject({ status: 'cancelled' });
    });
  });
});

function abortable(): { readonly signal: AbortSignal; readonly abort: () => void } {
  const controller = new AbortController();
  // Many waits of a test share it.
  setMaxListeners(0, controller.signal);
  return {
    signal: controller.signal,
    abort: () => {
      controller.abort();
    },
  };
}

/** Timers that keep the process alive. */
function countTimers(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
}
