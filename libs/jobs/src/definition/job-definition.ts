import { toMs, type Duration } from './duration.js';
import { LONGEST_TYPE, isJobType } from './job-id.js';
import { exponential, type RetryPolicy } from './retry-policy.js';

/** A class decorated with class-validator rules; it describes and checks a payload. */
export type PayloadClass<P extends object = object> = new () => P;

/**
 * How long a dedupe key is held by its job.
 * - `ttl`: for a fixed time from the submit on, also past success and failure; freed by cancel and delete.
 * - `until_started`: until the first run starts.
 * - `until_finished`: until the job is final.
 * - `until_result_expires`: until the finished job is swept; freed at once when it does not succeed.
 */
export const DEDUPE_POLICIES = ['ttl', 'until_started', 'until_finished', 'until_result_expires'] as const;
export type DedupePolicy = (typeof DEDUPE_POLICIES)[number];

/** What a duplicate gets: `conflict` refuses it and names the holder, `existing` answers with the holder. */
export const DUPLICATE_ANSWERS = ['conflict', 'existing'] as const;
export type DuplicateAnswer = (typeof DUPLICATE_ANSWERS)[number];

/** What the author of a job type writes. */
export interface JobPolicy<P extends object> {
  readonly payload: PayloadClass<P>;
  /** Version of the payload's shape; raise it when the shape changes. Default 1. */
  readonly version?: number;
  /**
   * Makes a payload of an older version one of this version. It is called at claim, before the payload is checked; `from` is
   * the version the payload was submitted with. Answers at once, no promise. What it throws buries the job as
   * `upgrade_failed`. Without it an older payload is checked as it is.
   */
  readonly upgrade?: (from: number, payload: unknown) => unknown;
  /** `thread` runs the handler in worker threads, so that one that hangs can be ended. Default: in the worker's own thread. */
  readonly isolation?: 'thread';
  /** Submitted by the product's own code only: doors that clients come by do not take or show it. */
  readonly internal?: true;
  /** How many jobs of the type one worker runs at once. Default 10. */
  readonly concurrency?: { readonly worker?: number };
  /** The handler's signal fires after it. Default 30 s; never none. */
  readonly timeout?: Duration;
  /** Past `timeout + grace` the attempt is settled as timed out whatever the handler does. Default 5 s. */
  readonly grace?: Duration;
  /** Runs that may fail before the job is buried. Default 5. */
  readonly attempts?: number;
  /**
   * Crashes of a worker under the job in a row before it is buried as `poison`; a run that ends by itself, or a new checkpoint, begins
   * the row anew. A handler that blocks the event loop past the hard limits of
   * several jobs counts as one. Default 3. One crash short of that it runs without others of its kind; with 1 it never does, so a
   * crash buries every job of the type that the worker had in hand.
   */
  readonly maxCrashes?: number;
  readonly retry?: RetryPolicy;
  /** True when an error can never pass by itself. Default: `isPermanent`. */
  readonly permanent?: (error: unknown) => boolean;
  /** 0 to 9, 9 goes first. Default 5. */
  readonly priority?: number;
  readonly dedupe?: {
    /** The key of a payload; undefined leaves the job without one. */
    readonly key?: (payload: P) => string | undefined;
    readonly policy?: DedupePolicy;
    /** For the policy `ttl`. Default 10 min. */
    readonly ttl?: Duration;
    readonly onDuplicate?: DuplicateAnswer;
  };
}

/** A job type: its name, its payload's class and its policy, every default filled in. Made by {@link defineJob}. */
export interface JobDefinition<P extends object = object> {
  readonly type: string;
  readonly payload: PayloadClass<P>;
  readonly version: number;
  readonly upgrade: ((from: number, payload: unknown) => unknown) | undefined;
  readonly isolation: 'none' | 'thread';
  readonly internal: boolean;
  readonly concurrency: number;
  readonly timeoutMs: number;
  readonly graceMs: number;
  readonly maxAttempts: number;
  readonly maxCrashes: number;
  readonly retry: RetryPolicy;
  readonly permanent: ((error: unknown) => boolean) | undefined;
  readonly priority: number;
  readonly dedupe: {
    /** A method, so that a definition of any payload is a `JobDefinition`. */
    key(payload: P): string | undefined;
    readonly policy: DedupePolicy;
    readonly ttlMs: number;
    readonly onDuplicate: DuplicateAnswer;
  };
}

/** The payload of a definition, as a type. */
export type PayloadOf<D extends JobDefinition> = InstanceType<D['payload']>;

/** The bounds of what a definition or a submit may ask for. */
export const BOUNDS = {
  attempts: { min: 1, max: 1_000 },
  timeoutMs: { min: 1, max: toMs('1d') },
  graceMs: { min: 0, max: toMs('1h') },
  concurrency: { min: 1, max: 10_000 },
  priority: { min: 0, max: 9 },
  crashes: { min: 1, max: 10 },
  delayMs: { min: 0, max: toMs('365d') },
  expiresInMs: { min: 1, max: toMs('365d') },
  dedupeTtlMs: { min: 1_000, max: toMs('30d') },
  version: { min: 1, max: 9_999 },
} as const;

/**
 * Defines a job type. Policy lives here, work in the handler.
 * @throws {TypeError} naming the type and the field when a value is outside {@link BOUNDS}.
 */
export function defineJob<P extends object>(type: string, policy: JobPolicy<P>): JobDefinition<P> {
  if (!isJobType(type)) {
    throw new TypeError(
      `"${type}" is no name for a job type: lower-case letters, digits, "." and "-", at most ${LONGEST_TYPE}, a letter first.`,
    );
  }
  const bounded = (field: keyof typeof BOUNDS, value: number): number => {
    const { min, max } = BOUNDS[field];
    if (!Number.isInteger(value) || value < min || value > max) {
      throw new TypeError(`${type}: ${field} is ${value}, it must be a whole number from ${min} to ${max}.`);
    }
    return value;
  };
  const { dedupe = {} } = policy;
  return {
    type,
    payload: policy.payload,
    version: bounded('version', policy.version ?? 1),
    upgrade: policy.upgrade,
    isolation: policy.isolation ?? 'none',
    internal: policy.internal ?? false,
    concurrency: bounded('concurrency', policy.concurrency?.worker ?? 10),
    timeoutMs: bounded('timeoutMs', toMs(policy.timeout ?? '30s')),
    graceMs: bounded('graceMs', toMs(policy.grace ?? '5s')),
    maxAttempts: bounded('attempts', policy.attempts ?? 5),
    maxCrashes: bounded('crashes', policy.maxCrashes ?? 3),
    retry: policy.retry ?? exponential(),
    permanent: policy.permanent,
    priority: bounded('priority', policy.priority ?? 5),
    dedupe: {
      key: dedupe.key ?? (() => undefined),
      policy: dedupe.policy ?? 'ttl',
      ttlMs: bounded('dedupeTtlMs', toMs(dedupe.ttl ?? '10m')),
      onDuplicate: dedupe.onDuplicate ?? 'conflict',
    },
  };
}
