import type { EnqueueOptions, Job } from '@antrean/jobs';
import { RunAct, type Act } from '../fixtures/engine/act.js';
import { EngineHost } from '../fixtures/engine/engine-host.js';
import { hasRun, openCrowdedWorkers } from '../support/crowded-workers.js';
import type { JobsApp } from '../support/jobs-app.js';
import { untilJob } from '../support/until-job.js';

jest.setTimeout(120_000);

const NEIGHBOURS = 9;
const MUCH = { timeoutMs: 600_000 };
const LITTLE = { timeoutMs: 600, maxAttempts: 1 };

/** Workers of a scenario, each in a process of its own, and who submits their jobs and looks. */
class Scene {
  private constructor(
    readonly hosts: readonly EngineHost[],
    readonly observer: JobsApp,
  ) {}

  static async open(workers: number): Promise<Scene> {
    const hosts = await Promise.all(Array.from({ length: workers }, () => EngineHost.start()));
    return new Scene(hosts, await openCrowdedWorkers(...hosts));
  }

  async submit(act: Act, options: EnqueueOptions): Promise<string> {
    return (await this.observer.queue.enqueue(RunAct, act, options)).jobId;
  }

  async started(jobId: string): Promise<void> {
    await Promise.race(this.hosts.map((host) => host.until(jobId, 'started')));
  }

  async end(jobId: string): Promise<Job> {
    return untilJob(this.observer, jobId, hasRun);
  }

  async close(): Promise<void> {
    await Promise.all([...this.hosts.map((host) => host.kill()), this.observer.close()]);
  }
}

/** Resolves to a job that began between two blocks of another. */
async function beginBetweenBlocks(scene: Scene): Promise<Job> {
  const [neighbour, blocker] = await Promise.all([
    scene.submit({ act: 'return', ms: 300 }, LITTLE),
    scene.submit({ act: 'burst', ms: 4_000, gate: 'late' }, LITTLE),
  ]);
  await scene.started(blocker);
  // They end where they are taken, and do not come back to stand beside the late one.
  await Promise.all([neighbour, blocker].map((jobId) => scene.observer.control.cancel(jobId)));
  return scene.end(await scene.submit({ act: 'return', ms: 1_000, gate: 'late' }, { timeoutMs: 1_500, maxAttempts: 1 }));
}

/** Resolves to a job with little time that came beside one with much five times, which blocked each time. */
async function stayBesideAHog(scene: Scene): Promise<Job> {
  const hog = await scene.submit({ act: 'hog', ms: 2_500 }, MUCH);
  await scene.started(hog);
  const job = await scene.end(await scene.submit({ act: 'shout', ms: 300, times: 6 }, LITTLE));
  await scene.observer.control.cancel(hog);
  return job;
}

/** Resolves to a job that blocks whatever worker runs it, and its neighbours. */
async function stayBesideABlocker(
  scene: Scene,
): Promise<{ readonly blocker: Job | undefined; readonly neighbours: readonly Job[] }> {
  const acts: Act[] = Array.from({ length: NEIGHBOURS }, () => ({ act: 'return', ms: 300 }));
  const results = await scene.observer.queue.enqueueBulk(
    RunAct,
    [...acts, { act: 'clog' as const, ms: 4_000 }].map((payload) => ({ payload, options: LITTLE })),
  );
  const jobs: Job[] = [];
  for (const result of results) jobs.push(await scene.end('accepted' in result ? result.accepted.jobId : ''));
  return { blocker: jobs[NEIGHBOURS], neighbours: jobs.slice(0, NEIGHBOURS) };
}

describe('a job that blocks the event loop of a worker', () => {
  let scenes: readonly [Scene, Scene, Scene];
  let between: Promise<Job>;
  let besideAHog: Promise<Job>;
  let besideABlocker: ReturnType<typeof stayBesideABlocker>;

  // Most of it is waiting: the scenarios go on at once, and none begins while the processes of another start.
  beforeAll(async () => {
    scenes = await Promise.all([Scene.open(1), Scene.open(1), Scene.open(2)]);
    const [first, second, third] = scenes;
    between = beginBetweenBlocks(first);
    besideAHog = stayBesideAHog(second);
    besideABlocker = stayBesideABlocker(third);
    // The test of each says what failed.
    for (const scenario of [between, besideAHog, besideABlocker]) scenario.catch(() => undefined);
  });

  afterAll(async () => {
    await Promise.all(scenes.map((scene) => scene.close()));
  });

  it('twice, with a pause between, costs one that began in the pause no attempt either', async () => {
    const { status, attempt, crashes } = await between;
    expect({ status, attempt, crashes }).toEqual({ status: 'succeeded', attempt: 1, crashes: 1 });
  });

  it('within its own long time does not bury those with little time beside it', async () => {
    const { status, attempt, crashes } = await besideAHog;
    expect({ status, attempt, crashes }).toEqual({ status: 'succeeded', attempt: 1, crashes: 5 });
  });

  it('past the hard limits of its neighbours, wherever it runs, costs them no attempt, though they have but one, and is buried in the end', async () => {
    const { blocker, neighbours } = await besideABlocker;
    expect(neighbours).toHaveLength(NEIGHBOURS);
    for (const { status, attempt } of neighbours) expect([status, attempt]).toEqual(['succeeded', 1]);
    expect(blocker?.status).toBe('failed');
    // Where it was alone at last, its one attempt was used.
    expect(['poison', 'timed_out']).toContain(blocker?.error?.code);

    const first = { outcome: 'crashed', error: { name: 'EventLoopBlockedError', code: 'loop_blocked' } };
    expect(blocker?.runs[0]).toMatchObject(first);
    // Some were cut off with it, else nothing was shown.
    const cutOff = neighbours.filter(({ crashes }) => crashes > 0);
    expect(cutOff.length).toBeGreaterThan(0);
    for (const { runs } of cutOff) expect(runs[0]).toMatchObject(first);
  });
});
