import type { JobRecord } from '../../../libs/jobs/src/store/record.js';
import { faultsOf, type JobView, type QueueView } from '../../support/queue-view.js';
import { holderOf } from '../rules/dedupe.js';
import { isExpired, isWaiting, type Job, type Run, type Told } from '../rules/job.js';
import type { Queue } from '../rules/queue.js';
import { WINDOW_MS } from './clock.js';
import { tokenText } from './token.js';

/**
 * Where Redis is not what the model says, a text for each difference; nothing when it is.
 * The model knows times to within a moment only. Where they agree it takes over the millisecond that was recorded, so that it
 * orders what was to happen at the same moment as the engine does.
 */
export function differences(queue: Queue, view: QueueView, now: number): string[] {
  const found = faultsOf(view);
  const differ = (what: string, actual: unknown, expected: unknown): void => {
    const [a, e] = [JSON.stringify(actual), JSON.stringify(expected)];
    if (a !== e) found.push(`${what} is ${a}, not ${e}`);
  };
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
  found.push(...lostWakeUps(queue, view, now));
  return found;
}

type Differ = (what: string, actual: unknown, expected: unknown) => void;

const sorted = <T>(entries: Iterable<readonly [string, T]>): (readonly [string, T])[] =>
  [...entries].sort(([a], [b]) => (a < b ? -1 : 1));

/** The recorded time where it is the model's, within the window; else the model's. */
function near(recorded: number, time: number): number {
  return time !== 0 && recorded >= time && recorded <= time + WINDOW_MS ? recorded : time;
}

function compareJob(job: Job, { record, extra, log, places }: JobView, differ: Differ): void {
  const { ulid } = job.submit;
  // What has been compared and has not changed on either side since is the same still.
  if (compared.get(job) !== record || job.revision !== record.revision) {
    job.createdAt = near(record.createdAt, job.createdAt);
    job.dueAt = near(record.dueAt, job.dueAt);
    job.startedAt = near(record.startedAt, job.startedAt);
    job.finishedAt = near(record.finishedAt, job.finishedAt);
    job.expiresAt = near(record.expiresAt, job.expiresAt);
    differ(ulid, factsOfRecord(record), factsOfJob(job));
    compared.set(job, record);
  }
  if (extra.size + log.length + job.trail.size === 0 && nothingTold(job)) return;
  differ(`side hash of ${ulid}`, sorted(extra), sorted(gathered(job, extra)));
  job.log.forEach((line, index) => (job.log[index] = asTold(line, log[index])));
  differ(`log of ${ulid}`, log, job.log.map(textOf));
  if (extra.size > 0) differ(`${ulid} says that it has a side hash`, record.hasExtra, true);
  if (job.status === 'processing')
    differ(`worker of ${ulid}`, [record.workerNumber, places], [job.token?.split(':')[0], ['running']]);
}

const compared = new WeakMap<Job, JobRecord>();

const nothingTold = ({ result, checkpoint, steps, cancelAskedAt, progress, log, status }: Job): boolean =>
  [result, checkpoint, progress].every((told) => told === undefined) &&
  steps.size + log.length + cancelAskedAt === 0 &&
  status !== 'processing';

function factsOfRecord(record: JobRecord): unknown[] {
  const { status, attempt, runs, crashes, crashesInAll, snoozes, replays, revision, seq } = record;
  const { createdAt, dueAt, startedAt, finishedAt, expiresAt, cancelRequested } = record;
  const token = record.token.every((byte) => byte === 0) ? undefined : tokenText(record.token);
  return [
    ...[status, attempt, runs, crashes, crashesInAll, snoozes, replays, revision, seq],
    ...[createdAt, dueAt, startedAt, finishedAt, expiresAt, cancelRequested, token],
    ...[record.priority, record.maxAttempts, record.timeoutMs, record.payloadVersion, record.payloadJson],
    ...[record.dedupeKey, record.trace.traceId],
  ];
}

function factsOfJob(job: Job): unknown[] {
  const { status, attempt, runs, crashes, crashesInAll, snoozes, replays, revision, seq } = job;
  const { createdAt, dueAt, startedAt, finishedAt, expiresAt, cancelAskedAt, token } = job;
  return [
    ...[status, attempt, runs, crashes, crashesInAll, snoozes, replays, revision, seq],
    ...[createdAt, dueAt, startedAt, finishedAt, expiresAt, cancelAskedAt !== 0, token],
    ...[job.submit.priority, job.submit.maxAttempts, job.submit.timeoutMs, job.version, job.payload],
    ...[job.submit.dedupe?.key, job.submit.traceId],
  ];
}

/** What the side hash of a job must hold. */
function* gathered(job: Job, extra: ReadonlyMap<string, string>): Generator<readonly [string, string]> {
  if (job.result !== undefined) yield ['result', job.result];
  if (job.checkpoint !== undefined) yield ['checkpoint', job.checkpoint];
  for (const [name, json] of job.steps) yield [`step:${name}`, json];
  if (job.cancelAskedAt !== 0) {
    job.cancelAskedAt = near(Number(extra.get('cancel')), job.cancelAskedAt);
    yield ['cancel', String(job.cancelAskedAt)];
  }
  if (job.progress !== undefined) {
    job.progress = asTold(job.progress, extra.get('progress'));
    yield ['progress', textOf(job.progress)];
  }
  for (const [number, run] of job.trail) {
    // The run that succeeded is told by the record.
    if (job.status === 'succeeded' && number === job.runs) continue;
    const ended = asRecorded(run, extra.get(`run:${number}`) ?? '');
    job.trail.set(number, ended);
    const { startedAt, endedAt, outcome, worker, nextAt, error } = ended;
    yield [`run:${number}`, `${startedAt} ${endedAt} ${outcome} ${worker} ${nextAt} ${error}`];
  }
}

const asTold = ({ at, json }: Told, text = ''): Told => ({ at: near(Number(text.split(' ')[0]), at), json });

const textOf = ({ at, json }: Told): string => `${at} ${json}`;

function asRecorded(run: Run, text: string): Run {
  const [startedAt, endedAt, , , nextAt] = text.split(' ').map(Number);
  return {
    ...run,
    startedAt: near(startedAt ?? 0, run.startedAt),
    endedAt: near(endedAt ?? 0, run.endedAt),
    nextAt: near(nextAt ?? 0, run.nextAt),
  };
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

/** A key that is held is stored; one that is not may be left over, while the job is there or until its time is over. */
function compareHolders(queue: Queue, { dedupe, jobs }: QueueView, now: number, differ: Differ): void {
  for (const [key, taker] of queue.takers) {
    if (holderOf(queue, key, now) === undefined) continue;
    const [deadline = '', ulid] = dedupe.get(key)?.split(' ') ?? [];
    differ(`the dedupe key ${key}`, [Number(deadline), ulid], [near(Number(deadline), taker.deadline), taker.ulid]);
  }
  for (const [key, text] of dedupe) {
    const [deadline, ulid = ''] = text.split(' ');
    if (deadline === '0' && !jobs.has(ulid)) differ(`the dedupe key ${key}`, text, undefined);
  }
}

function compareOnce(queue: Queue, { once }: QueueView, differ: Differ): void {
  const stored = [...once].map(([key, bytes]) => {
    const letter = bytes.toString('latin1', 49, 50);
    const expected = queue.once.get(key);
    const fields = [
      near(bytes.readUIntLE(0, 6), expected?.deadline ?? 0),
      bytes.toString('hex', 6, 22),
      bytes.toString('latin1', 22, 23),
      bytes.toString('latin1', 23, 49),
      letter === '-' ? 0 : near(bytes.readUIntLE(50, 6), expected?.answer.job?.createdAt ?? 0),
      letter === '-' ? '' : bytes.toString('hex', 56, 72),
    ];
    if (expected !== undefined) {
      const { body, answer } = expected;
      const deadline = near(bytes.readUIntLE(0, 6), expected.deadline);
      const createdAt = near(bytes.readUIntLE(50, 6), answer.job?.createdAt ?? 0);
      const named = [deadline, body.repeat(32), answer.accepted ? 'a' : 'd', answer.ulid, createdAt, answer.job?.traceId ?? ''];
      differ(`the once record ${key}`, fields, named);
    }
    return key;
  });
  differ('the once keys', stored.sort(), [...queue.once.keys()].sort());
}

/** Nobody hears a wake-up in this test, so whoever is still said to wait for one was not told of work that there is. */
function lostWakeUps(queue: Queue, { sets }: QueueView, now: number): string[] {
  const lost: string[] = [];
  for (const worker of sets.get('idle')?.keys() ?? []) {
    const asked = queue.idle.get(worker);
    if (asked === undefined) lost.push(`${worker} is said to be idle and is not`);
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
