import { types } from 'node:util';
import type { EnqueueOptions } from '../definition/enqueue-options.js';
import { InvalidOptionsError, type Violation } from '../definition/errors.js';
import { BOUNDS, DEDUPE_POLICIES, DUPLICATE_ANSWERS, type DedupePolicy } from '../definition/job-definition.js';
import { BACKOFF_BOUNDS, TEXT_BOUNDS } from '../definition/option-bounds.js';
import type { StoredRetryPolicy } from '../definition/retry-policy.js';
import { metadataFaults, tagFaults, textFaults } from './check-texts.js';
import { webhookFaults } from './check-webhook.js';

interface Range {
  readonly min: number;
  readonly max: number;
}

/** What is wrong with an option that was given; callers without a compiler may give anything. */
type Check = (pointer: string, value: unknown) => readonly Violation[];

const CHECKS: Readonly<Record<keyof EnqueueOptions, Check>> = {
  jobId: string,
  priority: whole(BOUNDS.priority),
  maxAttempts: whole(BOUNDS.attempts),
  timeoutMs: whole(BOUNDS.timeoutMs),
  delayMs: whole(BOUNDS.delayMs),
  expiresInMs: whole(BOUNDS.expiresInMs),
  dedupeTtlMs: whole(BOUNDS.dedupeTtlMs),
  dedupeKey: (pointer, value) => textFaults(pointer, value, TEXT_BOUNDS.dedupeKey),
  onceKey: (pointer, value) => textFaults(pointer, value, TEXT_BOUNDS.onceKey),
  onceContent: (pointer, value) => textFaults(pointer, value, TEXT_BOUNDS.onceContent),
  userId: (pointer, value) => textFaults(pointer, value, TEXT_BOUNDS.userId),
  requestId: (pointer, value) => textFaults(pointer, value, TEXT_BOUNDS.requestId),
  signAs: (pointer, value) => textFaults(pointer, value, TEXT_BOUNDS.secretName),
  traceparent: string,
  tracestate: string,
  tags: tagFaults,
  metadata: metadataFaults,
  dedupePolicy: oneOf(DEDUPE_POLICIES),
  onDuplicate: oneOf(DUPLICATE_ANSWERS),
  runAt: timeFaults,
  backoff: backoffFaults,
  webhook: webhookFaults,
};

// Read once: options are checked with every submit.
const EVERY_CHECK = Object.entries(CHECKS) as readonly [keyof EnqueueOptions, Check][];

/**
 * @param definitionPolicy what holds when the options name no dedupe policy.
 * @throws {InvalidOptionsError} naming every fault; pointers are `/option`, deeper ones `/tags/0`.
 */
export function checkOptions(options: EnqueueOptions, definitionPolicy: DedupePolicy = 'ttl'): void {
  if (!isObject(options)) throw new InvalidOptionsError([{ pointer: '', detail: 'must be an object of options' }]);
  const violations: Violation[] = [];
  for (const [name, check] of EVERY_CHECK) {
    const value = options[name];
    if (value !== undefined) violations.push(...check(`/${name}`, value));
  }
  violations.push(...contradictions(options, definitionPolicy));
  if (violations.length > 0) throw new InvalidOptionsError(violations);
}

/** What is wrong only because two options stand together. */
function contradictions(options: EnqueueOptions, definitionPolicy: DedupePolicy): readonly Violation[] {
  const { delayMs, runAt, dedupeTtlMs, dedupePolicy = definitionPolicy } = options;
  const found: Violation[] = [];
  if (delayMs !== undefined && runAt !== undefined) {
    found.push({ pointer: '/runAt', detail: 'cannot be given together with a delay' });
  }
  if (dedupeTtlMs !== undefined && dedupePolicy !== 'ttl' && DEDUPE_POLICIES.includes(dedupePolicy)) {
    const detail = `is for the dedupe policy ttl only, the policy of this job is ${dedupePolicy}`;
    found.push({ pointer: '/dedupeTtlMs', detail });
  }
  return found;
}

/**
 * What says how long a dedupe key is held says nothing of a job without one.
 * @throws {InvalidOptionsError}
 */
export function checkWithoutDedupeKey({ dedupeTtlMs, dedupePolicy }: EnqueueOptions): void {
  const detail = 'is for a dedupe key, and this job has none: give it one, or leave this out';
  const pointers = [
    ...(dedupeTtlMs === undefined ? [] : ['/dedupeTtlMs']),
    ...(dedupePolicy === undefined ? [] : ['/dedupePolicy']),
  ];
  if (pointers.length > 0) throw new InvalidOptionsError(pointers.map((pointer) => ({ pointer, detail })));
}

function whole({ min, max }: Range): Check {
  return (pointer, value) =>
    Number.isInteger(value) && isWithin(value, min, max)
      ? []
      : [{ pointer, detail: `must be a whole number from ${min} to ${max}` }];
}

function isWithin(value: unknown, min: number, max: number): boolean {
  return typeof value === 'number' && value >= min && value <= max;
}

function string(pointer: string, value: unknown): readonly Violation[] {
  return typeof value === 'string' ? [] : [{ pointer, detail: 'must be a string' }];
}

function oneOf(choices: readonly unknown[]): Check {
  return (pointer, value) => (choices.includes(value) ? [] : [{ pointer, detail: `must be one of ${choices.join(', ')}` }]);
}

function timeFaults(pointer: string, value: unknown): readonly Violation[] {
  if (!types.isDate(value)) return [{ pointer, detail: 'must be a Date' }];
  return Number.isNaN(value.getTime()) ? [{ pointer, detail: 'is not a valid time' }] : [];
}

/** The numbers of each kind of back-off that can be stored. */
const BACKOFFS = {
  exponential: { baseMs: BACKOFF_BOUNDS.delayMs, factor: BACKOFF_BOUNDS.factor, capMs: BACKOFF_BOUNDS.delayMs },
  fixed: { delayMs: BACKOFF_BOUNDS.delayMs },
  quadratic: { baseMs: BACKOFF_BOUNDS.delayMs, capMs: BACKOFF_BOUNDS.delayMs },
} as const satisfies Readonly<Record<StoredRetryPolicy['kind'], Readonly<Record<string, Range>>>>;

function backoffFaults(pointer: string, value: unknown): readonly Violation[] {
  if (!isObject(value)) return [{ pointer, detail: 'must be a back-off such as fixed("5s")' }];
  const { kind } = value;
  if (!isBackoffKind(kind)) return [{ pointer: `${pointer}/kind`, detail: `must be one of ${Object.keys(BACKOFFS).join(', ')}` }];
  const numbers: [string, Range][] = Object.entries(BACKOFFS[kind]);
  return numbers.flatMap(([name, { min, max }]) =>
    isWithin(value[name], min, max) ? [] : [{ pointer: `${pointer}/${name}`, detail: `must be a number from ${min} to ${max}` }],
  );
}

function isBackoffKind(kind: unknown): kind is keyof typeof BACKOFFS {
  return typeof kind === 'string' && Object.hasOwn(BACKOFFS, kind);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
