import { faultsOf, type QueueView } from '../../support/queue-view.js';
import { isExpired, isWaiting, type Job } from '../rules/job.js';
import type { Queue } from '../rules/queue.js';
import { compareJob } from './compare-job.js';
import { compareHolders, compareOnce } from './compare-keys.js';
import { compareOutgoing } from './compare-outgoing.js';
import { near, newDiffer, sorted, type Differ } from './differ.js';

/**
 * Where Redis is not what the model says, a text for each difference; nothing when it is.
 * The model knows times to within a moment only. Where they agree it takes over the millisecond that was recorded, so that it
 * orders what was to happen at the same moment as the engine does.
 */
export function differences(queue: Queue, view: QueueView, now: number): string[] {
  const found = faultsOf(view);
  const differ = newDiffer(found);
  differ('the jobs there are', [...view.jobs.keys()].sort(), [...queue.jobs.keys()].sort());
  for (const [ulid, job] of queue.jobs) {
    const stored = view.jobs.get(ulid);
    if (stored !== undefined) compareJob(job, stored, differ);
  }
  compareLines(queue, view, differ);
  compareLeases(queue, view, differ);
  differ('lanes', sorted(view.lanes), sorted(queue.lanes));
  compareHolders(queue, view, now, differ);
  compareOnce(queue, view, differ);
  compareOutgoing(queue, view, differ);
  compareIdle(queue, view, differ);
  found.push(...lostWakeUps(queue, view, now));
  return found;
}

function compareLines(queue: Queue, { lists, sets }: QueueView, differ: Differ): void {
  const ulids = (name: string): string[] => (lists.get(name) ?? []).map((entry) => entry.slice(0, 26));
  differ('the line of suspects', ulids('suspects'), queue.suspects);
  queue.lines.forEach((line, priority) => {
    differ(`the line of priority ${priority}`, ulids(`ready:${priority}`), line);
  });
  const scored = (name: string, jobs: readonly Job[], score: (job: Job) => number): void => {
    differ(name, sorted(sets.get(name) ?? []), sorted(jobs.map((job) => [job.submit.ulid, score(job)] as const)));
  };
  const jobs = [...queue.jobs.values()];
  const having = (status: Job['status']): Job[] => jobs.filter((job) => job.status === status);
  scored(
    'parked',
    jobs.filter(({ submit }) => queue.parked.has(submit.ulid)),
    ({ version }) => version,
  );
  scored(
    'expiring',
    jobs.filter((job) => isWaiting(job) && job.expiresAt !== 0),
    ({ expiresAt }) => expiresAt,
  );
  scored('running', having('processing'), ({ token }) => Number(token?.split(':')[0]));
  for (const status of ['scheduled', 'retrying'] as const) scored(status, having(status), ({ dueAt }) => dueAt);
  for (const status of ['succeeded', 'failed', 'cancelled', 'expired'] as const) {
    scored(status, having(status), ({ finishedAt }) => finishedAt);
  }
}

function compareLeases(queue: Queue, { sets }: QueueView, differ: Differ): void {
  const stored = sets.get('leases') ?? new Map<string, number>();
  for (const [worker, lease] of queue.leases) lease.endsAt = near(Math.abs(stored.get(worker) ?? 0), lease.endsAt);
  const expected = [...queue.leases].map(
    ([worker, { endsAt, beingReaped }]) => [worker, beingReaped ? -endsAt : endsAt] as const,
  );
  differ('leases', sorted(stored), sorted(expected));
}

/** Nobody hears a wake-up in this test, so whoever waits for one stays known, but for those that were to be told last. */
function compareIdle(queue: Queue, { sets }: QueueView, differ: Differ): void {
  const stored = new Map([...(sets.get('idle') ?? [])].map(([worker, score]) => [worker, Math.abs(score)] as const));
  for (const [worker, idle] of queue.idle) {
    if (idle.since === 0 && !stored.has(worker)) queue.idle.delete(worker);
    else queue.idle.set(worker, { ...idle, since: near(stored.get(worker) ?? 0, idle.since) });
  }
  differ('who is idle', sorted(stored), sorted([...queue.idle].map(([worker, { since }]) => [worker, since] as const)));
}

/** Whoever still waits for a wake-up that was not tried was not told of work that there is. */
function lostWakeUps(queue: Queue, { sets }: QueueView, now: number): string[] {
  const lost: string[] = [];
  for (const [worker, score] of sets.get('idle') ?? []) {
    if (score < 0) continue;
    const asked = queue.idle.get(worker);
    const lines = asked?.suspects === true ? [queue.suspects, ...queue.lines] : queue.lines;
    const work = lines
      .flat()
      .map((ulid) => queue.jobs.get(ulid))
      .filter((job) => job !== undefined && !isExpired(job, now));
    const fits = work.find((job) => job !== undefined && job.version <= (asked?.version ?? 0));
    if (fits !== undefined) lost.push(`${worker} waits to be woken and could run ${fits.submit.ulid}`);
  }
  return lost;
}
