import { setClockOffset } from '@antrean/jobs/testing';
import { RunAct } from '../fixtures/engine/act.js';
import { EngineHost } from '../fixtures/engine/engine-host.js';
import { eventually } from '../support/eventually.js';
import { startJobsApp, type JobsApp } from '../support/jobs-app.js';
import { REDIS_URL, newKeyPrefix } from '../support/shared-redis.js';
import { succeeded, untilJob } from '../support/until-job.js';

jest.setTimeout(90_000);

const hosts: EngineHost[] = [];
const observers: JobsApp[] = [];

async function startHost(): Promise<EngineHost> {
  const host = await EngineHost.start();
  hosts.push(host);
  return host;
}

/** Submits and looks, and runs nothing. */
async function observe(keyPrefix: string): Promise<JobsApp> {
  const observer = await startJobsApp([RunAct], [], { keyPrefix, types: ['!*'] });
  observers.push(observer);
  return observer;
}

afterAll(async () => {
  await Promise.all([...hosts.map((host) => host.kill()), ...observers.map((observer) => observer.close())]);
});

/** Workers of every scenario that only stand by. */
const standby = startHost();

/** A blocked handler's worker and one that stands by. */
async function blockForThreeLeases() {
  const settings = { redisUrl: REDIS_URL, keyPrefix: newKeyPrefix(), leaseMs: 2_000 };
  const [blocked, other, observer] = await Promise.all([startHost(), standby, observe(settings.keyPrefix)]);
  await other.open('beside three leases', settings);
  // While its one slot is taken, the next job is not for it.
  const { jobId: before } = await observer.queue.enqueue(RunAct, { act: 'wait', gate: 'standby' });
  await other.until(before, 'started');
  await blocked.open('worker', settings);
  const { jobId } = await observer.queue.enqueue(RunAct, { act: 'block', ms: 3 * settings.leaseMs + 500 });
  await blocked.until(jobId, 'started');
  await other.openGate('standby');
  const { jobId: neighbour } = await observer.queue.enqueue(RunAct, { act: 'return' });
  await untilJob(observer, neighbour, succeeded);
  const endedByThen = blocked.toldOf(jobId, 'ended').length;
  return { job: await untilJob(observer, jobId, succeeded), neighbour, endedByThen, blocked, other };
}

/** Lets a handler block past its hard limit and stay, while its retry is due. */
async function blockPastTheHardLimit() {
  const settings = { redisUrl: REDIS_URL, keyPrefix: newKeyPrefix(), leaseMs: 2_000, concurrency: { [RunAct.type]: 2 } };
  const [blocked, other, observer] = await Promise.all([startHost(), standby, observe(settings.keyPrefix)]);
  await blocked.open('worker', settings);
  const { jobId } = await observer.queue.enqueue(RunAct, { act: 'linger', ms: 6_000, gate: 'zombie' }, { timeoutMs: 500 });
  const settled = await untilJob(observer, jobId, ({ status }) => status === 'retrying');
  const unblockedByThen = blocked.toldOf(jobId, 'unblocked').length;
  const refused = await blocked.until(jobId, 'refused');
  // The retry comes to the process in which the handler still is, and is sent on.
  const handedBack = await untilJob(observer, jobId, ({ status }) => status === 'scheduled');
  const startedByThen = blocked.toldOf(jobId, 'started').length;
  await other.open('beside the zombie', settings);
  const retried = await untilJob(observer, jobId, succeeded);
  await blocked.openGate('zombie');
  await blocked.until(jobId, 'ended');
  // Whatever the zombie's end was to bring about is done when a job behind it is.
  const { jobId: last } = await observer.queue.enqueue(RunAct, { act: 'return' });
  await untilJob(observer, last, succeeded);
  const after = await observer.status.get(jobId);
  const log = await observer.status.logs(jobId);
  return { jobId, settled, unblockedByThen, refused, handedBack, startedByThen, retried, after, log, blocked, other };
}

/** Kills a worker with two runs: one past its hard limit at the last heartbeat, one not. */
async function killWithARunPastItsLimit() {
  const settings = { redisUrl: REDIS_URL, keyPrefix: newKeyPrefix(), leaseMs: 9_000, concurrency: { [RunAct.type]: 2 } };
  const [doomed, other, observer] = await Promise.all([startHost(), standby, observe(settings.keyPrefix)]);
  await doomed.open('worker', settings);
  const { jobId: crashing } = await observer.queue.enqueue(RunAct, { act: 'wait', gate: 'never' });
  await doomed.until(crashing, 'started');
  const { redis } = observer.link;
  const { leases } = observer.link.keys(RunAct.type);
  const heardAt = async (): Promise<number> => Number((await redis.zrange(leases, '0', '0', 'WITHSCORES'))[1]) - settings.leaseMs;
  const heardAfter = (ms: number) =>
    eventually(async () => {
      expect(await heardAt()).toBeGreaterThan(ms);
    });
  // Just after a heartbeat: the next is heard, and the one after it would settle the run.
  await heardAfter(await heardAt());
  const { jobId: overdue } = await observer.queue.enqueue(RunAct, { act: 'block', ms: 60_000 }, { timeoutMs: 50 });
  await doomed.until(overdue, 'started');
  const { startedAt } = await untilJob(observer, overdue, (job) => job.startedAt !== null);
  await heardAfter((startedAt?.getTime() ?? 0) + 50 + RunAct.graceMs);
  await doomed.kill();
  await setClockOffset(redis, settings.keyPrefix, RunAct.type, settings.leaseMs);
  await other.openGate('never');
  await other.open('after the kill', settings);
  return { overdue: await untilJob(observer, overdue, succeeded), crashed: await untilJob(observer, crashing, succeeded) };
}

describe('a handler that blocks the event loop', () => {
  // All at once: most of the time is spent waiting.
  const threeLeases = blockForThreeLeases();
  const pastTheLimit = blockPastTheHardLimit();
  const killed = killWithARunPastItsLimit();

  it('for three leases keeps its job: nothing runs twice, no crash is counted, and another worker goes on beside it', async () => {
    const { job, neighbour, endedByThen, blocked, other } = await threeLeases;
    expect(job).toMatchObject({ attempt: 1, crashes: 0, result: 'blocked', runs: [{ number: 1, outcome: 'succeeded' }] });
    expect(blocked.toldOf(job.jobId, 'started')).toHaveLength(1);
    expect(other.toldOf(neighbour, 'started')).toHaveLength(1);
    expect(other.toldOf(job.jobId, 'started')).toEqual([]);
    expect(endedByThen).toBe(0);
  });

  it('past its hard limit is settled as timed out while it still blocks', async () => {
    const { settled, unblockedByThen } = await pastTheLimit;
    expect(unblockedByThen).toBe(0);
    expect(settled).toMatchObject({
      attempt: 1,
      crashes: 0,
      error: { name: 'JobAbortedError', code: 'timed_out' },
      runs: [{ number: 1, outcome: 'timed_out' }],
      waitingOn: { reason: 'backoff' },
    });
  });

  it('past its hard limit changes nothing by what it says later: progress, log, checkpoint, step and result', async () => {
    const { refused, retried, after, log } = await pastTheLimit;
    expect(refused).toMatchObject({ codes: ['lease_lost', 'lease_lost'] });
    expect(retried).toMatchObject({ attempt: 2, progress: null, result: { attempt: 2, checkpoint: null } });
    expect(after).toEqual(retried);
    expect(log).toEqual([]);
  });

  it('past its hard limit keeps its job’s retry out of its process, which runs elsewhere', async () => {
    const { jobId, handedBack, startedByThen, retried, blocked, other } = await pastTheLimit;
    expect(handedBack).toMatchObject({ attempt: 1, crashes: 0 });
    expect(startedByThen).toBe(1);
    expect(blocked.toldOf(jobId, 'started')).toHaveLength(1);
    expect(other.toldOf(jobId, 'started')).toHaveLength(1);
    expect(retried.runs.at(-1)).toMatchObject({ outcome: 'succeeded' });
  });

  it('is timed out, and has used an attempt, when its worker is killed after its hard limit', async () => {
    const { overdue } = await killed;
    expect(overdue).toMatchObject({ attempt: 2, crashes: 0 });
    expect(overdue.runs).toMatchObject([{ outcome: 'timed_out', error: { code: 'timed_out' } }, { outcome: 'succeeded' }]);
  });

  it('leaves its neighbour a crash and no attempt used when its worker is killed before their limit', async () => {
    const { crashed } = await killed;
    expect(crashed).toMatchObject({ attempt: 1, crashes: 1 });
    expect(crashed.runs).toMatchObject([{ outcome: 'crashed', error: { code: 'worker_lost' } }, { outcome: 'succeeded' }]);
  });
});
