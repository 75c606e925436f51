import { QueueUnavailableError, type Job } from '@antrean/jobs';
import { RunAct, type Act } from '../fixtures/engine/act.js';
import { EngineHost } from '../fixtures/engine/engine-host.js';
import { eventually } from '../support/eventually.js';
import { startJobsApp, type JobsApp } from '../support/jobs-app.js';
import { REDIS_URL, newKeyPrefix } from '../support/shared-redis.js';
import { ReplyDropper, type Loss } from '../support/reply-dropper.js';
import { CALLS } from '../support/script-calls.js';
import { succeeded, untilJob } from '../support/until-job.js';

jest.setTimeout(120_000);

const LEASE_MS = 30_000;
/** Nothing may wait for a lease; five seconds are the client's, the rest is for a busy machine. */
const PATIENCE_MS = LEASE_MS / 2;

const host = EngineHost.start();
const proxies: ReplyDropper[] = [];
const apps: JobsApp[] = [];

async function startProxy(): Promise<ReplyDropper> {
  const proxy = await ReplyDropper.start(REDIS_URL);
  proxies.push(proxy);
  return proxy;
}

/** An application that submits and looks, and runs nothing. */
async function startObserver(keyPrefix: string, redisUrl = REDIS_URL): Promise<JobsApp> {
  const app = await startJobsApp([RunAct], [], { keyPrefix, redisUrl, types: ['!*'] });
  apps.push(app);
  return app;
}

afterAll(async () => {
  await (await host).kill();
  await Promise.all([...apps.map((app) => app.close()), ...proxies.map((proxy) => proxy.stop())]);
});

/** A worker behind a proxy, with a slot for one job, and one who looks at its jobs past the proxy. */
class Scene {
  private gates = 0;

  private constructor(
    readonly observer: JobsApp,
    readonly proxy: ReplyDropper,
    private readonly keyPrefix: string,
  ) {}

  static async open(): Promise<Scene> {
    const keyPrefix = newKeyPrefix();
    const [observer, proxy] = await Promise.all([startObserver(keyPrefix), startProxy()]);
    await (await host).open(keyPrefix, { redisUrl: proxy.url, keyPrefix, leaseMs: LEASE_MS });
    const scene = new Scene(observer, proxy, keyPrefix);
    // It is up once it has run something.
    await untilJob(observer, await scene.submit({ act: 'return' }), succeeded);
    return scene;
  }

  async submit(act: Act): Promise<string> {
    return (await this.observer.queue.enqueue(RunAct, act)).jobId;
  }

  /** A job that runs until the gate is opened. */
  async waitingJob(): Promise<{ readonly jobId: string; readonly finish: () => Promise<void> }> {
    this.gates += 1;
    const gate = `${this.keyPrefix} ${this.gates}`;
    const jobId = await this.submit({ act: 'wait', gate });
    await (await host).until(jobId, 'started');
    return { jobId, finish: async () => (await host).openGate(gate) };
  }

  /** The job's end, and that of one behind it: the worker goes on. */
  async end(jobId: string): Promise<Job> {
    const next = await this.submit({ act: 'return' });
    await untilJob(this.observer, next, succeeded, PATIENCE_MS);
    return untilJob(this.observer, jobId, succeeded, PATIENCE_MS);
  }

  /** When the lease on the type ends, in ms. */
  async leaseEndsAt(): Promise<number> {
    const { redis } = this.observer.link;
    return Number((await redis.zrange(this.observer.link.keys(RunAct.type).leases, '0', '0', 'WITHSCORES'))[1]);
  }
}

const RESULTS: Readonly<Record<keyof typeof LOSSES, unknown>> = {
  claim: 'returned',
  settle: 'waited',
  heartbeat: 'waited',
  note: { saved: 1 },
  reconcile: 'waited',
};

/** One lost reply each; answers with the job whose call it was. */
const LOSSES = {
  claim: async (scene: Scene, loss: Loss) => {
    const lost = scene.proxy.dropNext(loss, CALLS.claim);
    const jobId = await scene.submit({ act: 'return' });
    await lost;
    return scene.end(jobId);
  },
  settle: async (scene: Scene, loss: Loss) => {
    const { jobId, finish } = await scene.waitingJob();
    const lost = scene.proxy.dropNext(loss, CALLS.settle);
    await finish();
    await lost;
    return scene.end(jobId);
  },
  heartbeat: async (scene: Scene, loss: Loss) => {
    const { jobId, finish } = await scene.waitingJob();
    await scene.proxy.dropNext(loss, CALLS.heartbeat);
    const before = await scene.leaseEndsAt();
    await eventually(async () => {
      expect(await scene.leaseEndsAt()).toBeGreaterThan(before);
    }, PATIENCE_MS);
    await finish();
    return scene.end(jobId);
  },
  note: async (scene: Scene, loss: Loss) => {
    const lost = scene.proxy.dropNext(loss, CALLS.note);
    const jobId = await scene.submit({ act: 'save' });
    await lost;
    return scene.end(jobId);
  },
  reconcile: async (scene: Scene, loss: Loss) => {
    const { jobId, finish } = await scene.waitingJob();
    const lost = scene.proxy.dropNext(loss, CALLS.reconcile);
    // After a reconnect the worker asks what stands under it.
    scene.proxy.cut();
    await lost;
    await finish();
    return scene.end(jobId);
  },
};
const KINDS = ['claim', 'settle', 'heartbeat', 'note', 'reconcile'] as const satisfies (keyof typeof LOSSES)[];

/** One after the other, on one worker. */
async function lose(loss: Loss, kinds: readonly (keyof typeof LOSSES)[]): Promise<readonly (readonly [string, Job])[]> {
  const scene = await Scene.open();
  const jobs: (readonly [string, Job])[] = [];
  for (const kind of kinds) jobs.push([kind, await LOSSES[kind](scene, loss)]);
  return jobs;
}

/** Each waits for the client to lose patience: some at once, each with a worker of its own. */
async function loseHalfOpen(): Promise<ReadonlyMap<string, Job>> {
  const parts = [['claim', 'settle'], ['heartbeat'], ['note', 'reconcile']] as const;
  return new Map((await Promise.all(parts.map((kinds) => lose('half_open', kinds)))).flat());
}

const loseByClosing = async (): Promise<ReadonlyMap<string, Job>> => new Map(await lose('close', KINDS));

async function loseTheReplyToASubmit(loss: Loss) {
  const keyPrefix = newKeyPrefix();
  const [observer, proxy] = await Promise.all([startObserver(keyPrefix), startProxy()]);
  const submitter = await startObserver(keyPrefix, proxy.url);
  const lost = proxy.dropNext(loss, CALLS.enqueue);
  const submit = () => submitter.queue.enqueue(RunAct, { act: 'return' }, { onceKey: 'the one' });
  const sentAt = performance.now();
  const error = await submit().then(
    () => undefined,
    (reason: unknown) => reason,
  );
  const tookMs = performance.now() - sentAt;
  await lost;
  const jobId = error instanceof QueueUnavailableError ? (error.jobId ?? '') : '';
  const stored = await observer.status.get(jobId);
  const again = await eventually(submit, PATIENCE_MS);
  const { counts } = await observer.status.depth(RunAct.type);
  await (await host).open(keyPrefix, { redisUrl: REDIS_URL, keyPrefix });
  const job = await untilJob(observer, jobId, succeeded);
  return { error, tookMs, jobId, stored, again, counts, job };
}

describe('a reply that is lost', () => {
  const jobs = { close: loseByClosing(), half_open: loseHalfOpen() };
  const submits = { close: loseTheReplyToASubmit('close'), half_open: loseTheReplyToASubmit('half_open') };
  const cases = (['close', 'half_open'] as const).flatMap((loss) => KINDS.map((kind) => [kind, loss] as const));

  it.each(cases)('to a %s (%s) is one run and one outcome, and no wait for a lease', async (kind, loss) => {
    const job = (await jobs[loss]).get(kind);
    expect(job).toMatchObject({ attempt: 1, crashes: 0, runs: [{ number: 1, outcome: 'succeeded' }] });
    expect(job?.result).toEqual(RESULTS[kind]);
    expect((await host).toldOf(job?.jobId ?? '', 'started')).toHaveLength(1);
  });

  it.each(['close', 'half_open'] as const)(
    'to a submit (%s) leaves one job, which the error names and the same submit again is answered with',
    async (loss) => {
      const { error, tookMs, jobId, stored, again, counts, job } = await submits[loss];
      expect(error).toMatchObject({ code: 'queue_unavailable', outcome: 'unknown' });
      expect(tookMs).toBeLessThan(4_000);
      expect(stored).toMatchObject({ jobId, status: 'queued' });
      expect(again).toMatchObject({ jobId, repeated: true });
      expect(counts).toMatchObject({ queued: 1, processing: 0, succeeded: 0 });
      expect(job.runs).toMatchObject([{ number: 1, outcome: 'succeeded' }]);
    },
  );
});
