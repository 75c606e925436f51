import { defineJob, unchecked, type Job } from '@antrean/jobs';
import { EngineHost, type HostSettings } from '../fixtures/engine/engine-host.js';
import { eventually } from './eventually.js';
import { startJobsApp, type JobsApp } from './jobs-app.js';
import { REDIS_URL, newKeyPrefix } from './shared-redis.js';

const Risk = defineJob('risk.run', { payload: unchecked<{ kills: boolean }>() });
const WORKERS = 4;
const NEIGHBOURS = 1_000;
/** After so many crashes a job is one short of its burial. */
const SUSPECT_AFTER = Risk.maxCrashes - 1;

/** Runs of jobs that had crashed so often, by worker, in their order. */
function suspectRuns(jobs: readonly Job[]): ReadonlyMap<string, Job['runs']> {
  const byWorker = new Map<string, Job['runs']>();
  for (const { runs } of jobs) {
    let crashes = 0;
    for (const run of runs) {
      if (crashes >= SUSPECT_AFTER) byWorker.set(run.workerId, [...(byWorker.get(run.workerId) ?? []), run]);
      if (run.outcome === 'crashed') crashes += 1;
    }
  }
  for (const [worker, runs] of byWorker) {
    byWorker.set(
      worker,
      runs.toSorted((a, b) => a.startedAt.getTime() - b.startedAt.getTime()),
    );
  }
  return byWorker;
}

/** As something like Kubernetes keeps them: one is started again whenever it ends. */
class KeptWorkers {
  /** How many have ended by themselves. */
  ended = 0;
  private readonly living = new Set<EngineHost>();
  private over = false;

  constructor(private readonly settings: HostSettings) {}

  async start(count: number): Promise<void> {
    await Promise.all(Array.from({ length: count }, () => this.keepOne()));
  }

  async stop(): Promise<void> {
    this.over = true;
    await Promise.all([...this.living].map((host) => host.kill()));
  }

  private async keepOne(): Promise<void> {
    const host = await EngineHost.start('./killers.mjs');
    this.living.add(host);
    void host.exited.then(async ({ code }) => {
      this.living.delete(host);
      if (this.over) return;
      expect(code).toBe(7);
      this.ended += 1;
      await this.keepOne();
    });
    if (this.over) await host.kill();
    else await host.open('worker', this.settings).catch(() => undefined);
  }
}

/**
 * A test of jobs that kill their worker, among 1,000 neighbours on 4 workers of 100 slots.
 * @param killers their places in the line
 */
export function itBuriesKillers(title: string, killers: readonly number[]): void {
  const settings = { redisUrl: REDIS_URL, keyPrefix: newKeyPrefix(), leaseMs: 2_000, slots: 100 };
  const workers = new KeptWorkers(settings);
  let observer: JobsApp;

  beforeAll(async () => {
    observer = await startJobsApp([Risk], [], { keyPrefix: settings.keyPrefix, types: ['!*'] });
    await workers.start(WORKERS);
  });

  afterAll(async () => {
    await Promise.all([workers.stop(), observer.close()]);
  });

  it(title, async () => {
    const results = await observer.queue.enqueueBulk(
      Risk,
      Array.from({ length: NEIGHBOURS + killers.length }, (_, index) => ({ payload: { kills: killers.includes(index) } })),
    );
    const ids = results.map((result) => ('accepted' in result ? result.accepted.jobId : ''));
    await eventually(async () => {
      const { counts } = await observer.status.depth(Risk.type);
      expect(counts).toMatchObject({ succeeded: NEIGHBOURS, failed: killers.length });
    }, 100_000);
    const jobs = await Promise.all(ids.map((jobId) => observer.status.get(jobId)));
    for (const killer of killers) expect(jobs[killer]).toMatchObject({ status: 'failed', crashes: 3, error: { code: 'poison' } });
    // A process may have had two of them, and ends but once.
    expect(workers.ended).toBeGreaterThanOrEqual(3);
    expect(workers.ended).toBeLessThanOrEqual(3 * killers.length);

    const neighbours = jobs.flatMap((job, index) => (job === undefined || killers.includes(index) ? [] : [job]));
    expect(neighbours).toHaveLength(NEIGHBOURS);
    for (const { status, attempt } of neighbours) expect([status, attempt]).toEqual(['succeeded', 1]);
    // Some were so close to it that they came under suspicion, else nothing was shown.
    const suspects = suspectRuns(neighbours);
    expect(suspects.size).toBeGreaterThan(0);
    for (const runs of suspects.values()) {
      runs.forEach((run, index) => {
        const before = runs[index - 1];
        if (before !== undefined)
          expect(run.startedAt.getTime()).toBeGreaterThanOrEqual(before.finishedAt?.getTime() ?? Infinity);
      });
    }
  });
}
