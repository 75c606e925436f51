import { setImmediate as nextTurn } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import type { EnqueueOptions } from '../definition/enqueue-options.js';
import type { EnqueuedJob } from '../definition/enqueued-job.js';
import {
  DuplicateJobError,
  EventsFullError,
  InvalidOptionsError,
  InvalidPayloadError,
  OnceKeyConflictError,
  QueueUnavailableError,
} from '../definition/errors.js';
import type { JobDefinition } from '../definition/job-definition.js';
import { formatJobId } from '../definition/job-id.js';
import { kindOf } from '../definition/kind-of.js';
import { availableToRead } from '../store/availability.js';
import { MAX_JOBS_PER_CALL } from '../store/bounds.js';
import type { Enqueued } from '../store/enqueue.js';
import { Link } from '../store/link.js';
import type { OnceAnswer } from '../store/once.js';
import { onceAnswer } from '../store/once-answer.js';
import type { Header } from '../store/record.js';
import { JobJournal } from '../telemetry/job-journal.js';
import { EnqueueBatcher, type Outcome } from './enqueue-batcher.js';
import { prepareJob, type PreparedJob } from './prepare-job.js';
import { PRODUCER_OPTIONS, submitLimitsOf, type ProducerOptions, type SubmitLimits } from './producer-options.js';

/** One job of a bulk submit. */
export interface BulkJob<P extends object> {
  readonly payload: P;
  readonly options?: EnqueueOptions;
}

/**
 * What became of one job of a bulk submit. What the library refuses is an `AntreanError`, as with a single submit; any other
 * error was thrown by the definition's own code, such as its dedupe key.
 */
export type BulkResult = { readonly accepted: EnqueuedJob } | { readonly refused: Error };

const SLICES_AT_ONCE = 4;

@Injectable()
export class QueueService {
  private readonly limits: SubmitLimits;

  constructor(
    private readonly batcher: EnqueueBatcher,
    private readonly journal: JobJournal,
    private readonly link: Link,
    @Inject(PRODUCER_OPTIONS) options: ProducerOptions,
  ) {
    this.limits = submitLimitsOf(options);
  }

  /**
   * Accepts a job: when the promise resolves, it is in Redis with everything that belongs to it.
   * @throws {InvalidPayloadError} {@link InvalidOptionsError} {@link PayloadTooLargeError} {@link DuplicateJobError}
   *   {@link OnceKeyConflictError} {@link EventsFullError} nothing was written
   * @throws {QueueUnavailableError} within 2 s when Redis does not answer
   */
  async enqueue<P extends object>(definition: JobDefinition<P>, payload: P, options: EnqueueOptions = {}): Promise<EnqueuedJob> {
    return this.submit(prepareJob(definition, payload, options, this.limits));
  }

  /** As {@link enqueue}; the once key gets its first answer whatever payload and options come with it later. */
  async enqueueOnce<P extends object>(
    definition: JobDefinition<P>,
    payload: P,
    options: EnqueueOptions & { readonly onceKey: string },
  ): Promise<EnqueuedJob> {
    return this.submit(prepareJob(definition, payload, options, this.limits, 'any'));
  }

  /**
   * What {@link enqueue} would answer a submit whose once key was used before; undefined when the key is new, and nothing is
   * submitted. For what has to be looked at before a submit, and need not be before a repeat.
   * @throws what {@link enqueue} throws
   */
  async answeredBefore<P extends object>(
    definition: JobDefinition<P>,
    payload: P,
    options: EnqueueOptions & { readonly onceKey: string },
  ): Promise<EnqueuedJob | undefined> {
    const prepared = prepareJob(definition, payload, options, this.limits);
    const { once } = prepared.job;
    const answer = once && (await availableToRead(this.link, () => onceAnswer(this.link, definition.type, once)));
    return answer && this.answer(prepared, answer);
  }

  /**
   * Accepts many jobs of a type, in slices: while Redis takes up one, the next is made ready, and the event loop gets its turn
   * in between. The results are in the order of the jobs; one that is refused spoils no other. When Redis does not answer, the
   * slices that were not sent yet are refused as well. Never rejects.
   */
  async enqueueBulk<P extends object>(definition: JobDefinition<P>, jobs: readonly BulkJob<P>[]): Promise<readonly BulkResult[]> {
    const slices: Promise<readonly BulkResult[]>[] = [];
    for (let at = 0; at < jobs.length; at += MAX_JOBS_PER_CALL) {
      const [earlier = []] = await Promise.all([slices.at(-SLICES_AT_ONCE), at > 0 && nextTurn()]);
      const errors = earlier.flatMap((result) => ('refused' in result ? [result.refused] : []));
      const cause = errors.find((error) => error instanceof QueueUnavailableError);
      if (cause !== undefined) {
        const refused = new QueueUnavailableError('not_written', undefined, { cause });
        slices.push(Promise.resolve(jobs.slice(at).map(() => ({ refused }))));
        break;
      }
      slices.push(this.submitSlice(definition, jobs.slice(at, at + MAX_JOBS_PER_CALL)));
    }
    return (await Promise.all(slices)).flat();
  }

  private async submitSlice<P extends object>(
    definition: JobDefinition<P>,
    jobs: readonly BulkJob<P>[],
  ): Promise<readonly BulkResult[]> {
    const results: BulkResult[] = [];
    const sent: PreparedJob[] = [];
    const places: number[] = [];
    for (const [index, job] of jobs.entries()) {
      try {
        const { payload, options = {} } = entryOf(definition, job);
        sent.push(prepareJob(definition, payload, options, this.limits));
        places.push(index);
      } catch (error) {
        results[index] = refusal(error);
      }
    }
    const outcomes = (await this.batcher.addAll(definition.type, sent)).values();
    sent.forEach((prepared, nth) => {
      const outcome = outcomes.next().value ?? { error: new TypeError('Fewer answers came than jobs were sent.') };
      results[places[nth] ?? 0] = this.result(prepared, outcome);
    });
    return results;
  }

  private result(prepared: PreparedJob, outcome: Outcome): BulkResult {
    if ('error' in outcome) return refusal(outcome.error);
    try {
      return { accepted: this.answer(prepared, outcome) };
    } catch (error) {
      return refusal(error);
    }
  }

  private async submit(prepared: PreparedJob): Promise<EnqueuedJob> {
    return this.answer(prepared, await this.batcher.add(prepared.definition.type, prepared.job));
  }

  private answer({ definition, options, record, job }: PreparedJob, enqueued: Enqueued): EnqueuedJob {
    const { type } = definition;
    const dedupeKey = record.dedupe?.key ?? '';
    const onDuplicate = options.onDuplicate ?? definition.dedupe.onDuplicate;
    switch (enqueued.kind) {
      case 'accepted': {
        const { status, createdAt } = enqueued;
        const jobId = formatJobId({ type, ulid: job.ulid });
        this.journal.submitted({ jobId, type, trace: record.trace, requestId: options.requestId, status });
        const { traceId } = record.trace;
        return { jobId, type, status, traceId, createdAt: new Date(createdAt), deduplicated: false, repeated: false };
      }
      case 'known':
        return found(type, job.ulid, summaryOf(enqueued.header), { deduplicated: false, repeated: false });
      case 'once':
        return answerAgain(type, enqueued.answer, dedupeKey, onDuplicate);
      case 'once_mismatch':
        throw new OnceKeyConflictError(formatJobId({ type, ulid: enqueued.ulid }), options.onceKey ?? '');
      case 'too_late':
        throw new InvalidOptionsError([{ pointer: lateOption(options), detail: 'must be within a year from now' }]);
      case 'expires_before_run':
        throw new InvalidOptionsError([{ pointer: '/expiresInMs', detail: 'is over before the job is to run' }]);
      case 'events_full':
        throw new EventsFullError(type);
      case 'duplicate': {
        const { ulid, header } = enqueued;
        if (header !== undefined && onDuplicate === 'existing') {
          return found(type, ulid, summaryOf(header), { deduplicated: true, repeated: false });
        }
        throw new DuplicateJobError(formatJobId({ type, ulid }), header?.status ?? null, dedupeKey);
      }
    }
  }
}

/** Callers without a compiler may give anything. */
function entryOf<P extends object>({ type }: JobDefinition<P>, entry: BulkJob<P> | null | undefined): BulkJob<P> {
  if (typeof entry === 'object' && entry !== null) return entry;
  const detail = `is missing: an entry must be an object with a payload, not ${kindOf(entry)}`;
  throw new InvalidPayloadError(type, [{ pointer: '', detail }]);
}

function refusal(error: unknown): { readonly refused: Error } {
  return { refused: error instanceof Error ? error : new Error('Something that is no error was thrown.', { cause: error }) };
}

type Summary = NonNullable<OnceAnswer['job']>;

function answerAgain(type: string, answer: OnceAnswer, dedupeKey: string, onDuplicate: 'conflict' | 'existing'): EnqueuedJob {
  const { accepted, ulid, job } = answer;
  if (job !== undefined && (accepted || onDuplicate === 'existing')) {
    return found(type, ulid, job, { deduplicated: !accepted, repeated: true });
  }
  throw new DuplicateJobError(formatJobId({ type, ulid }), job?.status ?? null, dedupeKey, true);
}

function found(
  type: string,
  ulid: string,
  { status, traceId, createdAt }: Summary,
  how: Pick<EnqueuedJob, 'deduplicated' | 'repeated'>,
): EnqueuedJob {
  return { jobId: formatJobId({ type, ulid }), type, status, traceId, createdAt: new Date(createdAt), ...how };
}

function summaryOf({ status, createdAt, trace }: Header): Summary {
  return { status, createdAt, traceId: trace.traceId };
}

function lateOption({ runAt, delayMs }: EnqueueOptions): string {
  return runAt === undefined && delayMs === undefined ? '/expiresInMs' : '/runAt';
}
