import { Inject, Injectable } from '@nestjs/common';
import type { EnqueueOptions } from '../definition/enqueue-options.js';
import { InvalidOptionsError, type Violation } from '../definition/errors.js';
import { BOUNDS, type JobDefinition } from '../definition/job-definition.js';
import { formatJobId } from '../definition/job-id.js';
import { prepareJob } from '../services/prepare-job.js';
import { PRODUCER_OPTIONS, submitLimitsOf, type ProducerOptions, type SubmitLimits } from '../services/producer-options.js';
import { encodeEntry } from './outbox-entry.js';
import { OutboxStore } from './outbox-store.js';

/** As for a submit; the row itself sees to it that its job is accepted once. */
export type OutboxOptions = Omit<EnqueueOptions, 'onceKey' | 'onceContent'>;

/** A job that becomes one when the transaction does. */
export interface PromisedJob {
  readonly jobId: string;
  readonly type: string;
  readonly traceId: string;
}

/**
 * Submits jobs in a transaction of the application's own database: they are accepted if it is, and only then, whether Redis answers at
 * the moment or not. A relay in the workers hands them on.
 */
@Injectable()
export class Outbox<Tx> {
  private readonly limits: SubmitLimits;

  constructor(
    private readonly store: OutboxStore<Tx>,
    @Inject(PRODUCER_OPTIONS) options: ProducerOptions,
  ) {
    this.limits = submitLimitsOf(options);
  }

  /**
   * Writes a job as a part of the transaction. Its delay and its deadline count from now. One whose dedupe key another job holds by the
   * time it is handed on is dropped.
   * @throws {InvalidPayloadError} {@link InvalidOptionsError} {@link PayloadTooLargeError} nothing was written
   */
  async enqueue<P extends object>(
    tx: Tx,
    definition: JobDefinition<P>,
    payload: P,
    options: OutboxOptions = {},
  ): Promise<PromisedJob> {
    const { type } = definition;
    checkTimes(options);
    const prepared = prepareJob(definition, payload, options, this.limits);
    const jobId = formatJobId({ type, ulid: prepared.job.ulid });
    await this.store.add(tx, [{ jobId, type, entry: encodeEntry(prepared) }]);
    return { jobId, type, traceId: prepared.record.trace.traceId };
  }
}

/** What Redis would refuse by its clock, later, when nobody is there to be told. */
function checkTimes({ runAt, delayMs = 0, expiresInMs }: OutboxOptions): void {
  const waitMs = runAt instanceof Date ? runAt.getTime() - Date.now() : delayMs;
  const violations: Violation[] = [];
  if (waitMs > BOUNDS.delayMs.max) violations.push({ pointer: '/runAt', detail: 'must be within a year from now' });
  if (expiresInMs !== undefined && expiresInMs <= waitMs) {
    violations.push({ pointer: '/expiresInMs', detail: 'is over before the job is to run' });
  }
  if (violations.length > 0) throw new InvalidOptionsError(violations);
}
