import { formatJobId, type JobId } from '../definition/job-id.js';
import type { PresentWorker } from '../store/presence.js';
import type { Snapshot } from '../store/read.js';
import { UnreadableRecordError, type JobRecord } from '../store/record.js';
import { MAX_RUNS, parseRun } from '../store/trail.js';
import type { Job, LogLine, Progress, Run, RunError } from './job.js';
import { waitingOn } from './waiting-on.js';

/**
 * A job as people see it, from what is stored of it.
 * @param workers that are there, of a queued job; undefined when nobody knows.
 * @throws {UnreadableRecordError}
 */
export function describeJob(id: JobId, snapshot: Snapshot, workers: readonly PresentWorker[] | undefined): Job {
  const { record, extra } = snapshot;
  const { facts } = record;
  const runs = runsOf(record, extra);
  const failures = runs.filter((run) => run.error !== null && run.outcome !== 'snoozed');
  const result = extra.get('result');
  return {
    jobId: formatJobId(id),
    type: id.type,
    payloadVersion: record.payloadVersion,
    status: record.status,
    priority: record.priority,
    userId: facts.userId ?? null,
    tags: facts.tags ?? [],
    metadata: facts.metadata ?? {},
    payload: parsed(record.payloadJson),
    attempt: record.attempt,
    maxAttempts: record.maxAttempts,
    crashes: record.crashesInAll,
    timeoutMs: record.timeoutMs,
    traceId: record.trace.traceId,
    requestId: facts.requestId ?? null,
    createdAt: new Date(record.createdAt),
    runAt: new Date(record.dueAt),
    startedAt: dateOrNull(record.startedAt),
    finishedAt: dateOrNull(record.finishedAt),
    lastFailedAt: failures.at(-1)?.finishedAt ?? null,
    nextAttemptAt: record.status === 'retrying' ? new Date(record.dueAt) : null,
    expiresAt: dateOrNull(record.expiresAt),
    cancelRequestedAt: record.cancelRequested ? dateOrNull(Number(extra.get('cancel') ?? 0)) : null,
    progress: progressOf(extra.get('progress')),
    result: result === undefined ? null : parsed(result),
    error: record.status === 'succeeded' ? null : lastErrorOf(failures),
    runs,
    waitingOn: waitingOn(id.type, snapshot, workers),
    dedupeKey: record.dedupeKey ?? null,
    replays: record.replays,
    workerId: record.status === 'processing' ? record.workerNumber : null,
    revision: record.revision,
  };
}

/** The trail: ended runs as they were noted, and the latest from the record itself while it goes on or when it succeeded. */
function runsOf(record: JobRecord, extra: ReadonlyMap<string, string>): Run[] {
  const runs = [...extra]
    .filter(([field]) => field.startsWith('run:'))
    .map(([field, text]) => parseRun(Number(field.slice('run:'.length)), text))
    .sort((a, b) => a.number - b.number);
  if (record.status !== 'processing' && record.status !== 'succeeded') return runs;
  const succeeded = record.status === 'succeeded';
  const latest: Run = {
    number: record.runs,
    workerId: record.workerNumber,
    startedAt: new Date(record.startedAt),
    finishedAt: dateOrNull(record.finishedAt),
    outcome: succeeded ? 'succeeded' : null,
    error: null,
    nextAttemptAt: null,
  };
  return [...runs, latest].slice(-MAX_RUNS);
}

function lastErrorOf(failures: readonly Run[]): RunError | null {
  return failures.at(-1)?.error ?? null;
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    throw new UnreadableRecordError('What is stored of a job is no JSON.', { cause: error });
  }
}

function dateOrNull(ms: number): Date | null {
  return ms === 0 ? null : new Date(ms);
}

function progressOf(text: string | undefined): Progress | null {
  if (text === undefined) return null;
  const [updatedAt, json] = splitTime(text);
  // Written by a run's progress and nobody else.
  const { percent, message, data } = parsed(json) as Omit<Progress, 'updatedAt'>;
  return { percent, message, data, updatedAt };
}

/** A line of a job's log, from the form note.lua writes. */
export function describeLine(text: string): LogLine {
  const [at, json] = splitTime(text);
  // Written by a run's log and nobody else.
  return { at, ...(JSON.parse(json) as Omit<LogLine, 'at'>) };
}

/** `<ms> <json>` */
function splitTime(text: string): readonly [Date, string] {
  const end = text.indexOf(' ');
  return [new Date(Number(text.slice(0, end))), text.slice(end + 1)];
}
