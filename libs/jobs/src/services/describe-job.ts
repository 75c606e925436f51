import { formatJobId, type JobId } from '../definition/job-id.js';
import type { Snapshot } from '../store/read.js';
import type { JobRecord } from '../store/record.js';
import { MAX_RUNS, parseRun } from '../store/trail.js';
import type { Job, Run, RunError, WaitingOn } from './job.js';

/** A job as people see it, from what is stored of it. */
export function describeJob(id: JobId, snapshot: Snapshot): Job {
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
    payload: JSON.parse(record.payloadJson),
    attempt: record.attempt,
    maxAttempts: record.maxAttempts,
    crashes: record.crashes,
    timeoutMs: record.timeoutMs,
    traceId: record.trace.traceId,
    requestId: facts.requestId ?? null,
    createdAt: new Date(record.createdAt),
    runAt: new Date(record.dueAt),
    startedAt: dateOrNull(record.startedAt),
    finishedAt: dateOrNull(record.finishedAt),
    lastFailedAt: failures.at(-1)?.finishedAt ?? null,
    nextAttemptAt: record.status === 'retrying' ? new Date(record.dueAt) : null,
    result: result === undefined ? null : JSON.parse(result),
    error: record.status === 'succeeded' ? null : lastErrorOf(failures),
    runs,
    waitingOn: waitingOn(snapshot),
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

function dateOrNull(ms: number): Date | null {
  return ms === 0 ? null : new Date(ms);
}

function waitingOn({ record, headSeq }: Snapshot): WaitingOn | null {
  switch (record.status) {
    case 'scheduled':
      return { reason: 'schedule', detail: 'It waits for its time.', until: new Date(record.dueAt), position: null };
    case 'retrying':
      return {
        reason: 'backoff',
        detail: 'It failed and waits before it is tried again.',
        until: new Date(record.dueAt),
        position: null,
      };
    case 'queued': {
      const position = headSeq === undefined ? 1 : Math.max(record.seq - headSeq + 1, 1);
      return {
        reason: 'worker',
        detail: `It waits for a free worker, at about place ${position} of its line.`,
        until: null,
        position,
      };
    }
    case 'processing':
    case 'succeeded':
    case 'failed':
    case 'cancelled':
    case 'expired':
      return null;
  }
}
