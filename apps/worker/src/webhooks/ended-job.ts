import type { Job, Progress, Run } from '@antrean/jobs';

/**
 * A job in a message to a webhook: what `GET /jobs/{id}` shows of it, under the same names, but for its payload and its links.
 * Of its runs the latest 10 are there.
 */
export function endedJob(job: Job): Readonly<Record<string, unknown>> {
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
    attempt: job.attempt,
    max_attempts: job.maxAttempts,
    crashes: job.crashes,
    timeout_sec: job.timeoutMs / 1_000,
    trace_id: job.traceId,
    request_id: job.requestId,
    created_at: job.createdAt,
    run_at: job.runAt,
    started_at: job.startedAt,
    finished_at: job.finishedAt,
    last_failed_at: job.lastFailedAt,
    next_attempt_at: job.nextAttemptAt,
    expires_at: job.expiresAt,
    cancel_requested_at: job.cancelRequestedAt,
    progress: job.progress && progress(job.progress),
    result: job.result ?? null,
    error: job.error?.message ?? null,
    error_code: job.error?.code ?? null,
    attempts: job.runs.map(attempt),
    waiting_on: null,
    dedupe_key: job.dedupeKey,
    replays: job.replays,
    worker_id: job.workerId,
  };
}

function progress({ percent, message, data, updatedAt }: Progress) {
  return { percent, message, data, updated_at: updatedAt };
}

function attempt({ number, workerId, startedAt, finishedAt, outcome, error, nextAttemptAt }: Run) {
  return {
    number,
    worker_id: workerId,
    started_at: startedAt,
    finished_at: finishedAt,
    outcome,
    error: error?.message ?? null,
    error_name: error?.name ?? null,
    error_code: error?.code ?? null,
    next_attempt_at: nextAttemptAt,
  };
}
