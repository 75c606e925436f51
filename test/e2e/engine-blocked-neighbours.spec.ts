import type { EnqueueOptions, Job } from '@antrean/jobs';
import { RunAct, type Act } from '../fixtures/engine/act.js';
import { EngineHost } from '../fixtures/engine/engine-host.js';
import { hasRun, openCrowdedWorkers } from '../support/crowded-workers.js';
import type { JobsApp } from '../support/jobs-app.js';
import { untilJob } from '../support/until-job.js';

jest.setTimeout(120_000);

const NEIGHBOURS = 9;

/** Processes for the tests' workers; each test has workers of its own in them. */
let hosts: readonly [EngineHost, EngineHost];
let observer: JobsApp;

beforeAll(async () => {
  hosts = await Promise.all([EngineHost.start(), EngineHost.start()]);
});

afterEach(async () => {
  await observer.close();
});

afterAll(async () => {
  await Promise.all(hosts.map((host) => host.kill()));
});

async function submit(act: Act, options: EnqueueOptions): Promise<string> {
  return (await observer.queue.enqueue(RunAct, act, options)).jobId;
}

describe('a job that blocks the event loop twice, with a pause between', () => {
  it('costs one that began in the pause no attempt either', async () => {
    const [host] = hosts;
    observer = await openCrowdedWorkers(host);
    const [neighbour, blocker] = await Promise.all([
      submit({ act: 'return', ms: 300 }, { timeoutMs: 600, maxAttempts: 1 }),
      submit({ act: 'burst', ms: 4_000, gate: 'late' }, { timeoutMs: 600, maxAttempts: 1 }),
    ]);
    await host.until(blocker, 'started');
    // They end where they are taken, and do not come back to stand beside the late one.
    await Promise.all([neighbour, blocker].map((jobId) => observer.control.cancel(jobId)));
    const late = await submit({ act: 'return', ms: 1_000, gate: 'late' }, { timeoutMs: 1_500, maxAttempts: 1 });
    const { status, attempt, crashes } = await untilJob(observer, late, hasRun);
    expect({ status, attempt, crashes }).toEqual({ status: 'succeeded', attempt: 1, crashes: 1 });
  });
});

describe('jobs with little time beside one that has much', () => {
  const MUCH = { timeoutMs: 600_000 };
  const LITTLE = { timeoutMs: 600, maxAttempts: 1 };

  it('are not buried for the event loop that it blocks within its time', async () => {
    const [, host] = hosts;
    observer = await openCrowdedWorkers(host);
    const hog = await submit({ act: 'hog', ms: 2_500 }, MUCH);
    await host.until(hog, 'started');
    const neighbour = await submit({ act: 'shout', ms: 300, times: 6 }, LITTLE);
    const { status, attempt, crashes } = await untilJob(observer, neighbour, hasRun);
    expect({ status, attempt, crashes }).toEqual({ status: 'succeeded', attempt: 1, crashes: 5 });
    await observer.control.cancel(hog);
  });
});

describe('a job that blocks the event loop of any worker past the hard limits of its neighbours', () => {
  it('costs them no attempt, though they have but one, and is buried in the end', async () => {
    observer = await openCrowdedWorkers(...hosts);
    const options = { timeoutMs: 600, maxAttempts: 1 };
    const acts: Act[] = Array.from({ length: NEIGHBOURS }, () => ({ act: 'return', ms: 300 }));
    const results = await observer.queue.enqueueBulk(
      RunAct,
      [...acts, { act: 'clog' as const, ms: 4_000 }].map((payload) => ({ payload, options })),
    );
    const jobs: Job[] = [];
    for (const result of results) {
      jobs.push(await untilJob(observer, 'accepted' in result ? result.accepted.jobId : '', hasRun));
    }
    const neighbours = jobs.slice(0, NEIGHBOURS);
    for (const { status, attempt } of neighbours) expect([status, attempt]).toEqual(['succeeded', 1]);
    const blocker = jobs[NEIGHBOURS];
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
