import type { JobRecord } from '../../../libs/jobs/src/store/record.js';
import type { JobView } from '../../support/queue-view.js';
import type { Job, Run, Told } from '../rules/job.js';
import { near, sorted, type Differ } from './differ.js';
import { tokenText } from './token.js';

/** One job with all that was recorded of it, against the model. */
export function compareJob(job: Job, { record, extra, log, places }: JobView, differ: Differ): void {
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
    yield [`run:${number}`, runText(ended)];
  }
}

export const asTold = ({ at, json }: Told, text = ''): Told => ({ at: near(Number(text.split(' ')[0]), at), json });

export const textOf = ({ at, json }: Told): string => `${at} ${json}`;

export const runText = ({ startedAt, endedAt, outcome, worker, nextAt, error }: Run): string =>
  `${startedAt} ${endedAt} ${outcome} ${worker} ${nextAt} ${error}`;

export function asRecorded(run: Run, text: string): Run {
  const [startedAt, endedAt, , , nextAt] = text.split(' ').map(Number);
  return {
    ...run,
    startedAt: near(startedAt ?? 0, run.startedAt),
    endedAt: near(endedAt ?? 0, run.endedAt),
    nextAt: near(nextAt ?? 0, run.nextAt),
  };
}
