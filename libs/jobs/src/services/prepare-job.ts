import { newTraceContext, parseTraceparent, parseTracestate } from '@antrean/platform';
import type { EnqueueOptions } from '../definition/enqueue-options.js';
import { InvalidOptionsError, PayloadTooLargeError, type Violation } from '../definition/errors.js';
import type { JobDefinition } from '../definition/job-definition.js';
import { toMs } from '../definition/duration.js';
import { formatJobId, parseJobId } from '../definition/job-id.js';
import { fingerprintOf } from '../definition/fingerprint.js';
import { parsePayload, payloadToJson } from '../definition/payload.js';
import { newUlid } from '../store/new-ulid.js';
import type { NewJob } from '../store/enqueue.js';
import { encodeNewRecord, flagsOf, storedWebhook, type Facts, type JobRecord, type NewRecord } from '../store/record.js';
import { checkOptions, checkWithoutDedupeKey } from './check-options.js';
import { onceHash } from './once-hash.js';
import type { SubmitLimits } from './producer-options.js';

/** So long a once key is remembered. */
const ONCE_TTL_MS = toMs('24h');

const UNTOLD: Violation = {
  pointer: '/webhook',
  detail: 'would be told by nobody: give JobsModule the option webhooks, here and in the workers of the type',
};

/** A job that is ready to be handed to the store. */
export interface PreparedJob {
  readonly definition: JobDefinition;
  readonly options: EnqueueOptions;
  readonly record: NewRecord;
  readonly job: NewJob;
}

/**
 * Checks a submit and writes it down.
 * @param onceFor `these`: the options' once key is for this very payload and these options; `any`: for whatever comes under it.
 * @throws {InvalidPayloadError} {@link InvalidOptionsError} {@link PayloadTooLargeError}
 */
export function prepareJob<P extends object>(
  definition: JobDefinition<P>,
  payload: P,
  options: EnqueueOptions,
  limits: SubmitLimits,
  onceFor: 'these' | 'any' = 'these',
): PreparedJob {
  checkOptions(options, definition.dedupe.policy);
  if (options.webhook !== undefined && !limits.webhooks) throw new InvalidOptionsError([UNTOLD]);
  const record = newRecord(definition, payload, options, limits.maxPayloadBytes);
  const { onceKey } = options;
  const job = {
    ulid: options.jobId === undefined ? newUlid() : ulidIn(options.jobId, definition),
    when: whenOf(options),
    expiresInMs: options.expiresInMs,
    dedupeTtlMs: record.dedupe?.policy === 'ttl' ? (options.dedupeTtlMs ?? definition.dedupe.ttlMs) : 0,
    once:
      onceKey === undefined
        ? undefined
        : { key: onceKey, hash: onceFor === 'any' ? NO_HASH : onceHash(record.payloadJson, options), ttlMs: ONCE_TTL_MS },
    flags: flagsOf(record),
    record: encodeNewRecord(record),
  };
  return { definition, options, record, job };
}

/**
 * The record of a job whose payload is to be another; all else, its dedupe key included, stays as it was submitted.
 * @throws {InvalidPayloadError} {@link PayloadTooLargeError}
 */
export function withPayload<P extends object>(
  definition: JobDefinition<P>,
  { priority, maxAttempts, timeoutMs, trace, dedupeKey: key, dedupePolicy: policy, facts }: JobRecord,
  payload: P,
  maxPayloadBytes: number,
): Buffer {
  const { stored: _checked, ...written } = checkPayload(definition, payload, maxPayloadBytes);
  const dedupe = key === undefined || policy === undefined ? undefined : { key, policy };
  return encodeNewRecord({ priority, maxAttempts, timeoutMs, trace, dedupe, facts, ...written });
}

/** An id for a job of the type that is yet to be submitted; see `EnqueueOptions.jobId`. */
export function newJobId({ type }: JobDefinition): string {
  return formatJobId({ type, ulid: newUlid() });
}

/** @throws {InvalidOptionsError} */
function ulidIn(jobId: string, { type }: JobDefinition): string {
  const id = parseJobId(jobId);
  if (id?.type === type) return id.ulid;
  throw new InvalidOptionsError([
    { pointer: '/jobId', detail: `must be an id that newJobId has made for a job of type ${type}` },
  ]);
}

const NO_HASH = '0'.repeat(32);

function newRecord<P extends object>(
  definition: JobDefinition<P>,
  payload: P,
  options: EnqueueOptions,
  maxPayloadBytes: number,
): NewRecord {
  const { stored, ...written } = checkPayload(definition, payload, maxPayloadBytes);
  const dedupeKey = options.dedupeKey ?? definition.dedupe.key(stored);
  if (dedupeKey === undefined) checkWithoutDedupeKey(options);
  // A key that the definition makes of a payload keeps to the bounds of one that is given.
  else if (options.dedupeKey === undefined) checkOptions({ dedupeKey });
  const policy = options.dedupePolicy ?? definition.dedupe.policy;
  return {
    priority: options.priority ?? definition.priority,
    maxAttempts: options.maxAttempts ?? definition.maxAttempts,
    timeoutMs: options.timeoutMs ?? definition.timeoutMs,
    trace: parseTraceparent(options.traceparent) ?? newTraceContext(),
    dedupe: dedupeKey === undefined ? undefined : { key: dedupeKey, policy },
    facts: factsOf(options),
    ...written,
  };
}

interface CheckedPayload<P> extends Pick<NewRecord, 'payloadJson' | 'payloadVersion' | 'fingerprint'> {
  readonly stored: P;
}

function checkPayload<P extends object>(definition: JobDefinition<P>, payload: P, maxBytes: number): CheckedPayload<P> {
  const payloadJson = payloadToJson(definition.type, payload);
  const bytes = Buffer.byteLength(payloadJson);
  if (bytes > maxBytes) throw new PayloadTooLargeError(bytes, maxBytes);
  // What is checked is what is stored, not the object it was made from.
  const stored = parsePayload(definition, JSON.parse(payloadJson), 'refuse');
  return { payloadJson, payloadVersion: definition.version, fingerprint: fingerprintOf(definition), stored };
}

function whenOf({ delayMs, runAt }: EnqueueOptions): NewJob['when'] {
  if (runAt !== undefined) return { atMs: Math.max(runAt.getTime(), 0) };
  return delayMs === undefined || delayMs === 0 ? undefined : { delayMs };
}

function factsOf(options: EnqueueOptions): Facts {
  const { requestId, userId, tags = [], metadata, backoff, dedupeTtlMs, tracestate, webhook, signAs } = options;
  const facts: { -readonly [K in keyof Facts]: Facts[K] } = {};
  const state = parseTracestate(tracestate);
  if (requestId !== undefined) facts.requestId = requestId;
  if (state !== undefined) facts.tracestate = state;
  if (userId !== undefined) facts.userId = userId;
  if (tags.length > 0) facts.tags = tags;
  if (metadata !== undefined && Object.keys(metadata).length > 0) facts.metadata = metadata;
  if (backoff !== undefined) facts.backoff = backoff;
  if (dedupeTtlMs !== undefined) facts.dedupeTtlMs = dedupeTtlMs;
  if (webhook !== undefined) facts.webhook = storedWebhook(webhook);
  if (signAs !== undefined) facts.signAs = signAs;
  return facts;
}
