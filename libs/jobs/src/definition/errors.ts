import type { JobStatus } from './job-status.js';
import { toMs, type Duration } from './duration.js';

/** Base of all errors this library throws at its callers. `code` is stable and documented; the message is for people. */
export abstract class AntreanError extends Error {
  abstract readonly code: string;

  override get name(): string {
    return this.constructor.name;
  }
}

/** One fault of an input, with a JSON pointer (RFC 6901) to it: `/to`, `/variables/name`; `` for the whole. */
export interface Violation {
  readonly pointer: string;
  readonly detail: string;
}

/** A message is read by people and kept in logs: it tells this many faults, all are in `violations`. */
const MOST_TOLD = 5;
/** A pointer may hold any key a client makes up, of any length. */
const LONGEST_PLACE = 200;

function told(violations: readonly Violation[], whole: string): string {
  const faults = violations.slice(0, MOST_TOLD).map(({ pointer, detail }) => `${placeOf(pointer, whole)}: ${detail}`);
  const more = violations.length - faults.length;
  return more > 0 ? `${faults.join('; ')}; and ${more} more` : faults.join('; ');
}

function placeOf(pointer: string, whole: string): string {
  if (pointer === '') return whole;
  return pointer.length > LONGEST_PLACE ? `${pointer.slice(0, LONGEST_PLACE)}…` : pointer;
}

/** The payload does not fit its class. Nothing was written. */
export class InvalidPayloadError extends AntreanError {
  readonly code = 'invalid_payload';

  constructor(
    readonly type: string,
    readonly violations: readonly Violation[],
  ) {
    super(`The payload does not fit ${type}: ${told(violations, 'payload')}`);
  }
}

/** What a handler tells of its job cannot be kept as it is: a checkpoint, a message, the name of a step. Nothing was written. */
export class NotStorableError extends AntreanError {
  readonly code = 'not_storable';

  constructor(readonly violations: readonly Violation[]) {
    super(`This cannot be kept: ${told(violations, 'value')}`);
  }
}

/** An option is outside its bounds or contradicts another. Nothing was written. Pointers are in the option's own name. */
export class InvalidOptionsError extends AntreanError {
  readonly code = 'invalid_options';

  constructor(readonly violations: readonly Violation[]) {
    super(told(violations, 'options'));
  }
}

/** The payload is larger than the limit, in bytes of UTF-8 JSON. Nothing was written. */
export class PayloadTooLargeError extends AntreanError {
  readonly code = 'payload_too_large';

  constructor(
    readonly bytes: number,
    readonly maxBytes: number,
  ) {
    super(`The payload has ${bytes} bytes, the limit is ${maxBytes}. Put large data into storage and submit its key.`);
  }
}

/** No definition of that type is known here. Nothing was written. */
export class UnknownJobTypeError extends AntreanError {
  readonly code = 'unknown_job_type';

  constructor(
    readonly type: string,
    readonly known: readonly string[],
  ) {
    super(`There is no job type "${type}". Known types: ${known.join(', ')}.`);
  }
}

/** Another job holds the dedupe key. Nothing was written. */
export class DuplicateJobError extends AntreanError {
  readonly code = 'duplicate_job';

  constructor(
    readonly jobId: string,
    /** null when the job's retention is over and only its key is still held. */
    readonly status: JobStatus | null,
    readonly dedupeKey: string,
    /** This is the first answer to the submit's once key, told again. */
    readonly repeated = false,
  ) {
    super(`A job with the dedupe key "${dedupeKey}" exists: ${jobId} is ${status ?? 'finished and no longer kept'}.`);
  }
}

/** The once key was used before, for another payload or other options. Nothing was written. */
export class OnceKeyConflictError extends AntreanError {
  readonly code = 'once_key_conflict';

  constructor(
    /** The job that was submitted under the key first. */
    readonly jobId: string,
    readonly onceKey: string,
  ) {
    super(
      `The once key "${onceKey}" was used for another payload or other options, by ${jobId}. Use a new key for a new submit.`,
    );
  }
}

/** The end of the job is to be told, and too many ends of the type wait for that already. Nothing was written. */
export class EventsFullError extends AntreanError {
  readonly code = 'events_full';

  constructor(readonly type: string) {
    super(
      `Too many ends of ${type} wait to be told, so none is promised for now: its workers, or those of the webhooks, are not there. ` +
        'Without a webhook the job is accepted.',
    );
  }
}

/** There is no such job: it never was, was deleted, or its retention is over. */
export class JobNotFoundError extends AntreanError {
  readonly code = 'job_not_found';

  constructor(readonly jobId: string) {
    super(`There is no job ${jobId}: it never was, was deleted, or is finished and no longer kept.`);
  }
}

/** The job's status does not allow what was asked for. Nothing was changed. */
export class IllegalTransitionError extends AntreanError {
  readonly code = 'illegal_transition';

  constructor(
    readonly jobId: string,
    readonly status: JobStatus,
    readonly asked: 'cancel' | 'replay' | 'remove',
  ) {
    super(`${jobId} is ${status}; ${NEEDS[asked]}`);
  }
}

const NEEDS = {
  cancel: 'only a job that has not finished can be cancelled.',
  replay: 'only a finished job can be replayed. Cancel it first.',
  remove: 'only a finished job can be removed. Cancel it first.',
} as const;

/** The cause of a {@link QueueUnavailableError}: a job was written, and no replica is known to have it. */
export class NotReplicatedError extends Error {}

/**
 * Redis could not be reached in time. `outcome` says what became of the call: `not_written` (it was never sent) or
 * `unknown` (it was sent and not answered: look the job up by `jobId`, or submit again with a dedupe key).
 * Only a submit has a `jobId`; a read is always `not_written`. With `durability: replicated` the code is `not_replicated` when
 * Redis has taken the job and no replica has confirmed it: it is lost if one takes over that does not have it.
 */
export class QueueUnavailableError extends AntreanError {
  readonly code: 'queue_unavailable' | 'not_replicated';

  constructor(
    readonly outcome: 'not_written' | 'unknown',
    readonly jobId: string | undefined,
    options: { readonly cause: unknown },
  ) {
    const isWritten = options.cause instanceof NotReplicatedError;
    super(
      isWritten
        ? 'The queue has the job, but no replica of it has confirmed that in time.'
        : 'The queue cannot be reached at the moment. Try again shortly.',
      options,
    );
    this.code = isWritten ? 'not_replicated' : 'queue_unavailable';
  }
}

/** The keys in Redis are in a layout that this version does not know. */
export class LayoutMismatchError extends AntreanError {
  readonly code = 'layout_mismatch';

  constructor(keyPrefix: string, found: string) {
    super(
      `The keys under "${keyPrefix}" are in layout ${found}, which this version does not know: a newer version works on them. ` +
        'Start that version, or give this one a KEY_PREFIX of its own.',
    );
  }
}

/** Jobs are not to be given to this Redis as it is: each fault says what is wrong and how to mend it. */
export class UnfitRedisError extends AntreanError {
  readonly code = 'unfit_redis';

  constructor(faults: readonly string[]) {
    super(faults.join(' '));
  }
}

/** Thrown by a handler: the job can never succeed. It is buried at once, whatever attempts are left. */
export class PermanentError extends Error {
  override readonly name = 'PermanentError';

  constructor(message: string, options: { readonly code?: string; readonly cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = options.code ?? 'permanent';
  }

  readonly code: string;
}

/** Thrown by a handler: this attempt failed, the next is not to start before `delay` is over, nor before the job's back-off is. */
export class RetryAfterError extends Error {
  override readonly name = 'RetryAfterError';
  readonly code: string;
  readonly delayMs: number;

  constructor(message: string, delay: Duration, options: { readonly code?: string; readonly cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = options.code ?? 'retry_after';
    this.delayMs = toMs(delay);
  }
}

/** Thrown by a handler: not now, and not a failure. The job runs again after `delay` and no attempt is used. */
export class Snooze extends Error {
  override readonly name = 'Snooze';
  readonly code = 'snooze';
  readonly delayMs: number;

  constructor(delay: Duration, reason = 'snoozed') {
    super(reason);
    this.delayMs = toMs(delay);
  }
}

/** Why an `AbortSignal` handed to a handler fired. */
export type AbortCause = 'timed_out' | 'lease_lost' | 'shutdown' | 'cancelled';

/** The reason of the handler's `AbortSignal`. */
export class JobAbortedError extends Error {
  override readonly name = 'JobAbortedError';

  constructor(readonly code: AbortCause) {
    super(ABORT_TEXT[code]);
  }
}

const ABORT_TEXT: Readonly<Record<AbortCause, string>> = {
  timed_out: 'The job ran into its timeout.',
  lease_lost: 'The lease of this worker ended; the job may already run elsewhere.',
  shutdown: 'The worker is shutting down.',
  cancelled: 'The job was cancelled.',
};
