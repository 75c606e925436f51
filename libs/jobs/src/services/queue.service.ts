import { Inject, Injectable } from '@nestjs/common';
import { newTraceContext, parseTraceparent, parseTracestate } from '@antrean/platform';
import { DuplicateJobError, InvalidOptionsError, PayloadTooLargeError } from '../definition/errors.js';
import type { JobDefinition } from '../definition/job-definition.js';
import { formatJobId, newUlid } from '../definition/job-id.js';
import type { JobStatus } from '../definition/job-status.js';
import { parsePayload, payloadToJson } from '../definition/payload.js';
import type { Enqueued, NewJob } from '../store/enqueue.js';
import { encodeNewRecord, type Facts, type Header, type NewRecord } from '../store/record.js';
import { JobJournal } from '../telemetry/job-journal.js';
import { checkOptions } from './check-options.js';
import { EnqueueBatcher } from './enqueue-batcher.js';
import type { EnqueueOptions } from './enqueue-options.js';
import { PRODUCER_OPTIONS, type ProducerOptions } from './producer-options.js';

/** The answer to an accepted submit. With `deduplicated` it describes the job that holds the dedupe key. */
export interface EnqueuedJob {
  readonly jobId: string;
  readonly type: string;
  readonly status: JobStatus;
  readonly traceId: string;
  /** By Redis' clock. */
  readonly createdAt: Date;
  readonly deduplicated: boolean;
}

const DEFAULT_MAX_PAYLOAD_BYTES = 262_144;

@Injectable()
export class QueueService {
  constructor(
    private readonly batcher: EnqueueBatcher,
    private readonly journal: JobJournal,
    @Inject(PRODUCER_OPTIONS) private readonly options: ProducerOptions,
  ) {}

  /**
   * Accepts a job: when the promise resolves, it is in Redis with everything that belongs to it.
   * @throws {InvalidPayloadError} {@link InvalidOptionsError} {@link PayloadTooLargeError} {@link DuplicateJobError} nothing was written
   * @throws {QueueUnavailableError} within 2 s when Redis does not answer
   */
  async enqueue<P extends object>(definition: JobDefinition<P>, payload: P, options: EnqueueOptions = {}): Promise<EnqueuedJob> {
    checkOptions(options, definition.dedupe.policy);
    const record = this.newRecord(definition, payload, options);
    const job = {
      ulid: newUlid(),
      when: whenOf(options),
      dedupeTtlMs: record.dedupe?.policy === 'ttl' ? (options.dedupeTtlMs ?? definition.dedupe.ttlMs) : 0,
      record: encodeNewRecord(record),
    };
    const enqueued = await this.batcher.add(definition.type, job);
    return this.answer(definition, formatJobId({ type: definition.type, ulid: job.ulid }), record, enqueued, options);
  }

  private newRecord<P extends object>(definition: JobDefinition<P>, payload: P, options: EnqueueOptions): NewRecord {
    const payloadJson = payloadToJson(definition.type, payload);
    const bytes = Buffer.byteLength(payloadJson);
    const { maxPayloadBytes = DEFAULT_MAX_PAYLOAD_BYTES } = this.options;
    if (bytes > maxPayloadBytes) throw new PayloadTooLargeError(bytes, maxPayloadBytes);
    // What is checked is what is stored, not the object it was made from.
    const stored = parsePayload(definition, JSON.parse(payloadJson), 'refuse');
    const dedupeKey = options.dedupeKey ?? definition.dedupe.key(stored);
    // A key that the definition makes of a payload keeps to the bounds of one that is given.
    if (dedupeKey !== undefined) checkOptions({ dedupeKey });
    const policy = options.dedupePolicy ?? definition.dedupe.policy;
    return {
      priority: options.priority ?? definition.priority,
      maxAttempts: options.maxAttempts ?? definition.maxAttempts,
      timeoutMs: options.timeoutMs ?? definition.timeoutMs,
      payloadVersion: definition.version,
      trace: parseTraceparent(options.traceparent) ?? newTraceContext(),
      dedupe: dedupeKey === undefined ? undefined : { key: dedupeKey, policy },
      facts: factsOf(options),
      payloadJson,
    };
  }

  private answer(
    definition: JobDefinition,
    jobId: string,
    record: NewRecord,
    enqueued: Enqueued,
    options: EnqueueOptions,
  ): EnqueuedJob {
    const { type } = definition;
    switch (enqueued.kind) {
      case 'accepted': {
        const { status, createdAt } = enqueued;
        this.journal.submitted({ jobId, type, trace: record.trace, requestId: options.requestId, status });
        return { jobId, type, status, traceId: record.trace.traceId, createdAt: new Date(createdAt), deduplicated: false };
      }
      case 'known':
        return describe(jobId, type, enqueued.header, false);
      case 'too_late':
        throw new InvalidOptionsError([{ pointer: '/runAt', detail: 'must be within a year from now' }]);
      case 'duplicate': {
        const holder = formatJobId({ type, ulid: enqueued.ulid });
        if (enqueued.header !== undefined && (options.onDuplicate ?? definition.dedupe.onDuplicate) === 'existing') {
          return describe(holder, type, enqueued.header, true);
        }
        throw new DuplicateJobError(holder, enqueued.header?.status ?? null, record.dedupe?.key ?? '');
      }
    }
  }
}

function whenOf({ delayMs, runAt }: EnqueueOptions): NewJob['when'] {
  if (runAt !== undefined) return { atMs: Math.max(runAt.getTime(), 0) };
  return delayMs === undefined || delayMs === 0 ? undefined : { delayMs };
}

function factsOf({ requestId, userId, tags, metadata, backoff, ...options }: EnqueueOptions): Facts {
  const tracestate = parseTracestate(options.tracestate);
  return {
    ...(requestId === undefined ? {} : { requestId }),
    ...(tracestate === undefined ? {} : { tracestate }),
    ...(userId === undefined ? {} : { userId }),
    ...(tags === undefined || tags.length === 0 ? {} : { tags }),
    ...(metadata === undefined || Object.keys(metadata).length === 0 ? {} : { metadata }),
    ...(backoff === undefined ? {} : { backoff }),
  };
}

function describe(jobId: string, type: string, header: Header, deduplicated: boolean): EnqueuedJob {
  const { status, trace, createdAt } = header;
  return { jobId, type, status, traceId: trace.traceId, createdAt: new Date(createdAt), deduplicated };
}
