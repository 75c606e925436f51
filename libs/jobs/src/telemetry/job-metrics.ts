import { Inject, Injectable } from '@nestjs/common';
import { InjectMetric, makeCounterProvider, makeGaugeProvider, makeHistogramProvider } from '@willsoto/nestjs-prometheus';
import type { Counter, Gauge, Histogram } from 'prom-client';
import { JOB_STATUSES, isFinal } from '../definition/job-status.js';
import { PRODUCER_OPTIONS, typesOf, type ProducerOptions } from '../services/producer-options.js';

/** Why a run was taken from its worker. */
const CRASH_REASONS = ['worker_lost', 'loop_blocked'] as const;
const SECONDS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600];

/**
 * What Prometheus is told about jobs. Labels are bounded: type, outcome and reason. Counters begin at 0: the increase of one that
 * is there only once it has counted is not seen.
 */
@Injectable()
export class JobMetrics {
  constructor(
    @InjectMetric('antrean_jobs_submitted_total') readonly submitted: Counter<'type'>,
    @InjectMetric('antrean_jobs_finished_total') readonly finished: Counter<'type' | 'outcome'>,
    @InjectMetric('antrean_job_retries_total') readonly retries: Counter<'type'>,
    @InjectMetric('antrean_job_crashes_total') readonly crashes: Counter<'type' | 'reason'>,
    @InjectMetric('antrean_job_zombies') readonly zombies: Gauge<'type'>,
    @InjectMetric('antrean_job_attempt_seconds') readonly attemptSeconds: Histogram<'type' | 'outcome'>,
    @InjectMetric('antrean_job_queue_wait_seconds') readonly queueWaitSeconds: Histogram<'type'>,
    @Inject(PRODUCER_OPTIONS) options: Pick<ProducerOptions, 'definitions'>,
  ) {
    for (const type of typesOf(options)) {
      submitted.inc({ type }, 0);
      retries.inc({ type }, 0);
      for (const outcome of JOB_STATUSES.filter(isFinal)) finished.inc({ type, outcome }, 0);
      for (const reason of CRASH_REASONS) crashes.inc({ type, reason }, 0);
    }
  }
}

export const JOB_METRICS_PROVIDERS = [
  makeCounterProvider({ name: 'antrean_jobs_submitted_total', help: 'Jobs accepted.', labelNames: ['type'] }),
  makeCounterProvider({
    name: 'antrean_jobs_finished_total',
    help: 'Jobs that reached a final status.',
    labelNames: ['type', 'outcome'],
  }),
  makeCounterProvider({
    name: 'antrean_job_retries_total',
    help: 'Runs after which the job is to be tried again.',
    labelNames: ['type'],
  }),
  makeCounterProvider({
    name: 'antrean_job_crashes_total',
    help: `Runs that were taken from their worker, by why: ${CRASH_REASONS.join(' or ')}.`,
    labelNames: ['type', 'reason'],
  }),
  makeGaugeProvider({
    name: 'antrean_job_zombies',
    help: 'Handlers that go on past their hard limit, though their attempt is settled.',
    labelNames: ['type'],
  }),
  makeHistogramProvider({
    name: 'antrean_job_attempt_seconds',
    help: 'How long one run of a handler took.',
    labelNames: ['type', 'outcome'],
    buckets: SECONDS,
  }),
  makeHistogramProvider({
    name: 'antrean_job_queue_wait_seconds',
    help: 'From the moment a job was due until a worker started it.',
    labelNames: ['type'],
    buckets: SECONDS,
  }),
  JobMetrics,
];
