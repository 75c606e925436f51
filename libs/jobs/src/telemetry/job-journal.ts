import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from '@antrean/platform';
import { formatJobId } from '../definition/job-id.js';
import { isFinal, type JobStatus } from '../definition/job-status.js';
import type { Settled } from '../store/exchange.js';
import type { JobRecord, TraceContext } from '../store/record.js';
import type { StoredJob } from '../store/reply.js';
import type { RunError, RunOutcome } from '../store/trail.js';
import { PRODUCER_OPTIONS, type ProducerOptions } from '../services/producer-options.js';
import { JobMetrics } from './job-metrics.js';

/** How one run ended, for the record. */
export interface RunReport {
  readonly outcome: RunOutcome;
  /** Undefined when it never began. */
  readonly seconds: number | undefined;
  readonly error: RunError | undefined;
  /** The stack of what was thrown; it is logged and stored nowhere. */
  readonly stack: string | undefined;
}

const STATUS_LINES: Readonly<Record<JobStatus, string>> = {
  scheduled: 'job scheduled',
  queued: 'job queued',
  processing: 'job started',
  retrying: 'job failed, to be retried',
  succeeded: 'job succeeded',
  failed: 'job failed for good',
  cancelled: 'job cancelled',
  expired: 'job expired',
};

const SETTLED_LINES: Readonly<Record<Settled, string>> = {
  ...STATUS_LINES,
  stale: 'job was settled too late, its lease had ended',
  unknown: 'job settled',
};

/** Where it is not `info`. */
const SETTLED_LEVELS: Readonly<Partial<Record<Settled, 'warn' | 'error'>>> = { stale: 'warn', retrying: 'warn', failed: 'error' };

/** Tells of every change of a job's status: one log line, and what Prometheus counts. */
@Injectable()
export class JobJournal {
  private readonly logger: Logger;

  constructor(
    private readonly metrics: JobMetrics,
    @Inject(PRODUCER_OPTIONS) options: ProducerOptions,
  ) {
    this.logger = options.logger;
  }

  submitted(job: { jobId: string; type: string; trace: TraceContext; requestId: string | undefined; status: JobStatus }): void {
    this.metrics.submitted.inc({ type: job.type });
    if (!this.logger.isLevelEnabled('info')) return;
    this.logger.info(
      { job_id: job.jobId, job_type: job.type, trace_id: job.trace.traceId, request_id: job.requestId ?? null, attempt: 0 },
      STATUS_LINES[job.status],
    );
  }

  started(type: string, job: StoredJob): void {
    const { startedAt, dueAt } = job.record;
    this.metrics.queueWaitSeconds.observe({ type }, Math.max(startedAt - dueAt, 0) / 1_000);
    if (this.logger.isLevelEnabled('info')) this.logger.info(jobFields(type, job), STATUS_LINES.processing);
  }

  /** A run ended and the store took note of it (or not, when its token was stale). */
  settled(type: string, job: StoredJob, report: RunReport, settled: Settled): void {
    const { outcome, seconds } = report;
    if (seconds !== undefined) this.metrics.attemptSeconds.observe({ type, outcome }, seconds);
    if (settled === 'retrying') this.metrics.retries.inc({ type });
    if (settled !== 'stale' && settled !== 'unknown' && isFinal(settled)) this.metrics.finished.inc({ type, outcome: settled });
    const level = SETTLED_LEVELS[settled] ?? 'info';
    if (!this.logger.isLevelEnabled(level)) return;
    const fields = { ...jobFields(type, job), outcome, seconds, ...errorFields(report) };
    this.logger[level](fields, SETTLED_LINES[settled]);
  }

  /** Time or a hand from outside moved a job that does not run. */
  moved(type: string, job: StoredJob): void {
    const { status } = job.record;
    if (isFinal(status)) this.metrics.finished.inc({ type, outcome: status });
    this.logger.info(jobFields(type, job), STATUS_LINES[status]);
  }

  removed(type: string, jobId: string): void {
    this.logger.info({ job_id: jobId, job_type: type }, 'job removed');
  }

  /** Handlers that go on although their runs are settled: so many more, or fewer. */
  zombies(type: string, change: number): void {
    this.metrics.zombies.inc({ type }, change);
  }

  /** A run was taken from its worker, lost or blocked; the job queues again, is buried, or cancelled as was asked for. */
  crashed(type: string, job: StoredJob, worker: { readonly lost_worker: string } | { readonly blocked_worker: string }): void {
    const { status, crashesInAll: crashes } = job.record;
    this.metrics.crashes.inc({ type, reason: 'lost_worker' in worker ? 'worker_lost' : 'loop_blocked' });
    if (isFinal(status)) this.metrics.finished.inc({ type, outcome: status });
    this.logger[status === 'failed' ? 'error' : 'warn'](
      { ...jobFields(type, job), outcome: 'crashed', crashes, ...worker },
      STATUS_LINES[status],
    );
  }
}

/** The fields that every line about a job carries. */
export function jobFields(type: string, { ulid, record }: { readonly ulid: string; readonly record: JobRecord }) {
  return {
    job_id: formatJobId({ type, ulid }),
    job_type: type,
    trace_id: record.trace.traceId,
    request_id: record.facts.requestId ?? null,
    attempt: record.attempt,
  };
}

function errorFields({ error, stack }: RunReport): Readonly<Record<string, unknown>> {
  return error === undefined ? {} : { error_name: error.name, error_code: error.code, error: error.message, stack };
}
