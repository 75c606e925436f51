import type { JobStatus } from '../definition/job-status.js';
import type { Job, Progress, Run, WaitingOn } from './job.js';

/** One run in a job's trail. Times are RFC 3339 with milliseconds, here and below. */
export interface RunJson {
  readonly number: number;
  readonly worker_id: string;
  readonly started_at: string;
  readonly finished_at: string | null;
  readonly outcome: string | null;
  readonly error: string | null;
  readonly error_name: string | null;
  readonly error_code: string | null;
  readonly next_attempt_at: string | null;
}

export interface ProgressJson {
  readonly percent: number;
  readonly message: string | null;
  readonly data: unknown;
  readonly updated_at: string;
}

export interface WaitingOnJson {
  readonly reason: string;
  readonly detail: string;
  readonly until: string | null;
  readonly position: number | null;
}

/** A job as it is shown to the outside, in answers and in messages alike. */
export interface JobJson {
  readonly job_id: string;
  readonly type: string;
  readonly payload_version: number;
  readonly status: JobStatus;
  readonly priority: number;
  readonly group: null;
  readonly user_id: string | null;
  readonly tags: readonly string[];
  readonly metadata: Readonly<Record<string, string>>;
  readonly payload: unknown;
  readonly attempt: number;
  readonly max_attempts: number;
  readonly crashes: number;
  readonly timeout_sec: number;
  readonly trace_id: string;
  readonly request_id: string | null;
  readonly created_at: string;
  readonly run_at: string;
  readonly started_at: string | null;
  readonly finished_at: string | null;
  readonly last_failed_at: string | null;
  readonly next_attempt_at: string | null;
  readonly expires_at: string | null;
  readonly cancel_requested_at: string | null;
  readonly progress: ProgressJson | null;
  readonly result: unknown;
  readonly error: string | null;
  readonly error_code: string | null;
  readonly attempts: readonly RunJson[];
  readonly waiting_on: WaitingOnJson | null;
  readonly dedupe_key: string | null;
  readonly replays: number;
  readonly worker_id: string | null;
}

export function jobJson(job: Job): JobJson {
  return {
    job_id: job.jobId,
    type: job.type,
    payload_version: job.payloadVersion,
    status: job.status,
    priority: job.priority,
    group: null,
    user_id: job.userId,
    tags: job.tags,
    metadata: job.metadata,
    payload: job.payload,
    attempt: job.attempt,
    max_attempts: job.maxAttempts,
    crashes: job.crashes,
    timeout_sec: job.timeoutMs / 1_000,
    trace_id: job.traceId,
    request_id: job.requestId,
    created_at: job.createdAt.toISOString(),
    run_at: job.runAt.toISOString(),
    started_at: timeOrNull(job.startedAt),
    finished_at: timeOrNull(job.finishedAt),
    last_failed_at: timeOrNull(job.lastFailedAt),
    next_attempt_at: timeOrNull(job.nextAttemptAt),
    expires_at: timeOrNull(job.expiresAt),
    cancel_requested_at: timeOrNull(job.cancelRequestedAt),
    progress: job.progress && progressJson(job.progress),
    result: job.result ?? null,
    error: job.error?.message ?? null,
    error_code: job.error?.code ?? null,
    attempts: job.runs.map(runJson),
    waiting_on: job.waitingOn && waitingOnJson(job.waitingOn),
    dedupe_key: job.dedupeKey,
    replays: job.replays,
    worker_id: job.workerId,
  };
}

function progressJson({ percent, message, data, updatedAt }: Progress): ProgressJson {
  return { percent, message, data, updated_at: updatedAt.toISOString() };
}

function runJson({ number, workerId, startedAt, finishedAt, outcome, error, nextAttemptAt }: Run): RunJson {
  return {
    number,
    worker_id: workerId,
    started_at: startedAt.toISOString(),
    finished_at: timeOrNull(finishedAt),
    outcome,
    error: error?.message ?? null,
    error_name: error?.name ?? null,
    error_code: error?.code ?? null,
    next_attempt_at: timeOrNull(nextAttemptAt),
  };
}

function waitingOnJson({ reason, detail, until, position }: WaitingOn): WaitingOnJson {
  return { reason, detail, until: timeOrNull(until), position };
}

function timeOrNull(time: Date | null): string | null {
  return time === null ? null : time.toISOString();
}
