import type { DedupePolicy, DuplicateAnswer } from './job-definition.js';
import type { StoredRetryPolicy } from './retry-policy.js';
import type { Webhook } from './webhook.js';

/** What one submit may set; whatever is left out comes from the definition. */
export interface EnqueueOptions {
  /**
   * The id that the job is to have, made by `newJobId` for this submit and no other: for what has to name the job before it is there,
   * such as the folder of its files. A submit that is answered with another job (by a dedupe or once key) leaves it unused.
   */
  readonly jobId?: string;
  /** 1 to 255 characters. */
  readonly dedupeKey?: string;
  /** With a dedupe key only, be it given here or by the definition. */
  readonly dedupePolicy?: DedupePolicy;
  /** Likewise, and with the policy `ttl` only. */
  readonly dedupeTtlMs?: number;
  readonly onDuplicate?: DuplicateAnswer;
  /** Milliseconds from now, by Redis' clock. Not together with `runAt`. */
  readonly delayMs?: number;
  /** A time in the past runs now. */
  readonly runAt?: Date;
  /**
   * The job expires when it still waits by then, for its first run or for another: a failure, a snooze or a crash makes it no more
   * useful. A run that goes on then is left alone. In milliseconds from now, by Redis' clock. It is the workers of the type that end
   * it: while none is there the job stays as it is, and expires as soon as one comes.
   */
  readonly expiresInMs?: number;
  /**
   * 1 to 255 characters. For 24 hours the same key of a type is answered as it was answered first, whatever became of that job
   * since; with another payload or other options it is refused. The order of fields makes no other.
   */
  readonly onceKey?: string;
  /**
   * With a once key: what stands for the submit instead of its payload and options, where these differ with each repeat, such as the
   * digest of a file that is stored anew each time. 1 to 255 characters.
   */
  readonly onceContent?: string;
  readonly priority?: number;
  readonly maxAttempts?: number;
  readonly timeoutMs?: number;
  readonly backoff?: StoredRetryPolicy;
  /** An opaque owner label, at most 128 characters. */
  readonly userId?: string;
  /** At most 10, each 1 to 64 characters. */
  readonly tags?: readonly string[];
  /** At most 20 entries, keys of 1 to 64 characters, values at most 512. */
  readonly metadata?: Readonly<Record<string, string>>;
  /**
   * Who is told of the job's end, at least once. It is the workers of the type that see to it, where the application gave them
   * `webhooks`. The URL is `https:` or `http:`, without user, at most 2,048 characters.
   */
  readonly webhook?: Webhook;
  /** W3C trace context of the caller; continued through retries. Without one a new trace begins. */
  readonly traceparent?: string;
  readonly tracestate?: string;
  readonly requestId?: string;
  /** The name of the secrets that sign what the job sends, for types that send; 1 to 64 characters. No client may choose it. */
  readonly signAs?: string;
}
