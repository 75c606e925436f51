import { defineJob, unchecked, type Job } from '@antrean/jobs';
import { EngineHost } from '../fixtures/engine/engine-host.js';
import { eventually } from '../support/eventually.js';
import { REDIS_URL, newKeyPrefix, startJobsApp, type JobsApp } from '../support/jobs-app.js';

jest.setTimeout(120_000);

const Risk = defineJob('risk.run', { payload: unchecked<{ kills: boolean }>() });
const WORKERS = 3;
const NEIGHBOURS = 300;
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

describe('a job that kills its worker', () => {
  const settings = { redisUrl: REDIS_URL, keyPrefix: newKeyPrefix(), leaseMs: 2_000, slots: 50 };
  const living = new Set<EngineHost>();
  let observer: JobsApp;
  let over = false;
  let killed = 0;

  /** A worker as something like Kubernetes keeps one: it is started again whenever it ends. */
  const keepAWorker = async (): Promise<void> => {
    const host = await EngineHost.start('./killers.mjs');
    living.add(host);
    void host.exited.then(async ({ code }) => {
      living.delete(host);
      if (over) return;
      expect(code).toBe(7);
      killed += 1;
      await keepAWorker();
    });
    await host.open('worker', settings).catch(() => undefined);
  };

  beforeAll(async () => {
    observer = await startJobsApp([Risk], [], { keyPrefix: settings.keyPrefix, types: ['!*'] });
    await Promise.all(Array.from({ length: WORKERS }, keepAWorker));
  });

  afterAll(async () => {
    over = true;
    await Promise.all([...[...living].map((host) => host.kill()), observer.close()]);
  });

  it('is buried as poison, and takes none of its 300 neighbours with it: those it crashed run one at a time', async () => {
    const results = await observer.queue.enqueueBulk(
      Risk,
      Array.from({ length: NEIGHBOURS + 1 }, (_, index) => ({ payload: { kills: index === 30 } })),
    );
    const ids = results.map((result) => ('accepted' in result ? result.accepted.jobId : ''));
    await eventually(async () => {
      expect((await observer.status.depth(Risk.type)).counts).toMatchObject({ succeeded: NEIGHBOURS, failed: 1 });
    }, 100_000);
    const jobs = await Promise.all(ids.map((jobId) => observer.status.get(jobId)));
    expect(jobs[30]).toMatchObject({ status: 'failed', crashes: 3, error: { code: 'poison' } });
    expect(killed).toBe(3);

    const neighbours = jobs.flatMap((job, index) => (job === undefined || index === 30 ? [] : [job]));
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
});
