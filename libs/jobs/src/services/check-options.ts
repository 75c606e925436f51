import { InvalidOptionsError, type Violation } from '../definition/errors.js';
import { BOUNDS, DEDUPE_POLICIES, DUPLICATE_ANSWERS, type DedupePolicy } from '../definition/job-definition.js';
import { pointerStep } from '../definition/json-pointer.js';
import { MAX_RETRY_DELAY_MS, type StoredRetryPolicy } from '../definition/retry-policy.js';
import type { EnqueueOptions } from '../definition/enqueue-options.js';

/** Bounds of the options that are texts or lists. */
const OPTION_BOUNDS = {
  dedupeKey: 255,
  userId: 128,
  requestId: 128,
  tags: 10,
  tag: 64,
  metadata: 20,
  metadataKey: 64,
  metadataValue: 512,
  /** Any text within the bounds above is below it, but for control characters, of which JSON makes six bytes each. */
  metadataBytes: 49_152,
} as const;

/**
 * @param definitionPolicy what holds when the options name no dedupe policy.
 * @throws {InvalidOptionsError} naming every fault; pointers are `/option`, deeper ones `/tags/0`.
 */
export function checkOptions(options: EnqueueOptions, definitionPolicy: DedupePolicy = 'ttl'): void {
  const violations = [
    ...numberFaults(options),
    ...textFaults(options),
    ...choiceFaults(options),
    ...backoffFaults(options.backoff),
  ];
  if (options.delayMs !== undefined && options.runAt !== undefined) {
    violations.push({ pointer: '/runAt', detail: 'cannot be given together with a delay' });
  }
  if (options.runAt !== undefined && Number.isNaN(options.runAt.getTime())) {
    violations.push({ pointer: '/runAt', detail: 'is not a valid time' });
  }
  const policy = options.dedupePolicy ?? definitionPolicy;
  if (options.dedupeTtlMs !== undefined && policy !== 'ttl') {
    violations.push({
      pointer: '/dedupeTtlMs',
      detail: `is for the dedupe policy ttl only, the policy of this job is ${policy}`,
    });
  }
  if (violations.length > 0) throw new InvalidOptionsError(violations);
}

function numberFaults(options: EnqueueOptions): Violation[] {
  const numbers = [
    ['/priority', options.priority, BOUNDS.priority],
    ['/maxAttempts', options.maxAttempts, BOUNDS.attempts],
    ['/timeoutMs', options.timeoutMs, BOUNDS.timeoutMs],
    ['/delayMs', options.delayMs, BOUNDS.delayMs],
    ['/dedupeTtlMs', options.dedupeTtlMs, BOUNDS.dedupeTtlMs],
  ] as const;
  return numbers.flatMap(([pointer, value, { min, max }]) =>
    value === undefined || (Number.isInteger(value) && value >= min && value <= max)
      ? []
      : [{ pointer, detail: `must be a whole number from ${min} to ${max}` }],
  );
}

function textFaults({ dedupeKey, userId, requestId, tags = [], metadata = {} }: EnqueueOptions): Violation[] {
  const entries = Object.entries(metadata);
  return [
    ...lengthFault('/dedupeKey', dedupeKey, OPTION_BOUNDS.dedupeKey),
    ...halfCharacterFault('/dedupeKey', dedupeKey),
    ...lengthFault('/userId', userId, OPTION_BOUNDS.userId),
    ...lengthFault('/requestId', requestId, OPTION_BOUNDS.requestId),
    ...countFault('/tags', tags.length, OPTION_BOUNDS.tags),
    ...tags.flatMap((tag, index) => lengthFault(`/tags/${index}`, tag, OPTION_BOUNDS.tag)),
    ...countFault('/metadata', entries.length, OPTION_BOUNDS.metadata),
    ...entries.flatMap(([key]) => lengthFault('/metadata', key, OPTION_BOUNDS.metadataKey)),
    ...entries.flatMap(([key, value]) =>
      charactersOf(value) <= OPTION_BOUNDS.metadataValue
        ? []
        : [{ pointer: `/metadata/${pointerStep(key)}`, detail: `must have at most ${OPTION_BOUNDS.metadataValue} characters` }],
    ),
    ...bytesFault('/metadata', metadata, OPTION_BOUNDS.metadataBytes),
  ];
}

function lengthFault(pointer: string, text: string | undefined, max: number): Violation[] {
  if (text === undefined || (text !== '' && charactersOf(text) <= max)) return [];
  return [{ pointer, detail: `must have 1 to ${max} characters` }];
}

/** A key is stored as UTF-8, in which one half of a character is the same as any other. */
function halfCharacterFault(pointer: string, text: string | undefined): Violation[] {
  if (text === undefined || text.isWellFormed()) return [];
  return [{ pointer, detail: 'must not contain half a character (a lone surrogate)' }];
}

function bytesFault(pointer: string, value: object, max: number): Violation[] {
  return Buffer.byteLength(JSON.stringify(value)) <= max ? [] : [{ pointer, detail: `must have at most ${max} bytes as JSON` }];
}

function charactersOf(text: string): number {
  return Array.from(text).length;
}

function countFault(pointer: string, count: number, max: number): Violation[] {
  return count <= max ? [] : [{ pointer, detail: `must have at most ${max} entries` }];
}

function choiceFaults({ dedupePolicy, onDuplicate }: EnqueueOptions): Violation[] {
  const oneOf = (pointer: string, value: string | undefined, choices: readonly string[]): Violation[] =>
    value === undefined || choices.includes(value) ? [] : [{ pointer, detail: `must be one of ${choices.join(', ')}` }];
  return [...oneOf('/dedupePolicy', dedupePolicy, DEDUPE_POLICIES), ...oneOf('/onDuplicate', onDuplicate, DUPLICATE_ANSWERS)];
}

function backoffFaults(backoff: StoredRetryPolicy | undefined): Violation[] {
  if (backoff === undefined) return [];
  const within = (name: string, value: number, min: number, max: number): Violation[] =>
    Number.isFinite(value) && value >= min && value <= max
      ? []
      : [{ pointer: `/backoff/${name}`, detail: `must be a number from ${min} to ${max}` }];
  switch (backoff.kind) {
    case 'exponential':
      return [
        ...within('baseMs', backoff.baseMs, 0, MAX_RETRY_DELAY_MS),
        ...within('factor', backoff.factor, 1, 100),
        ...within('capMs', backoff.capMs, 0, MAX_RETRY_DELAY_MS),
      ];
    case 'fixed':
      return within('delayMs', backoff.delayMs, 0, MAX_RETRY_DELAY_MS);
    case 'quadratic':
      return [
        ...within('baseMs', backoff.baseMs, 0, MAX_RETRY_DELAY_MS),
        ...within('capMs', backoff.capMs, 0, MAX_RETRY_DELAY_MS),
      ];
  }
}
