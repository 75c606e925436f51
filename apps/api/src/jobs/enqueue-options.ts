import { BACKOFF_DEFAULTS, toMs, type EnqueueOptions, type StoredRetryPolicy } from '@antrean/jobs';
import { parseRfc3339 } from '../http/rfc3339.js';
import type { BackoffBody, JobOptionsBody } from './submit-job.body.js';

/** The engine's options from the client's, which were checked before. */
export function toEnqueueOptions(options: JobOptionsBody, backoff: BackoffBody | undefined): EnqueueOptions {
  return withoutUndefined<EnqueueOptions>({
    dedupeKey: options.dedupe_key,
    dedupePolicy: options.dedupe_policy,
    dedupeTtlMs: toMilliseconds(options.dedupe_ttl_sec),
    onDuplicate: options.on_duplicate,
    delayMs: toMilliseconds(options.delay_sec),
    runAt: options.run_at === undefined ? undefined : parseRfc3339(options.run_at),
    expiresInMs: toMilliseconds(options.expires_in_sec),
    priority: options.priority,
    maxAttempts: options.max_attempts,
    timeoutMs: toMilliseconds(options.timeout_sec),
    backoff: backoff && toRetryPolicy(backoff),
    userId: options.user_id,
    tags: options.tags,
    metadata: options.metadata,
  });
}

function toRetryPolicy({ type, base_sec, factor = BACKOFF_DEFAULTS.factor, cap_sec }: BackoffBody): StoredRetryPolicy {
  const baseMs = toMilliseconds(base_sec);
  const capMs = toMilliseconds(cap_sec) ?? toMs(BACKOFF_DEFAULTS.cap);
  switch (type) {
    case 'exponential':
      return { kind: 'exponential', baseMs, factor, capMs };
    case 'fixed':
      return { kind: 'fixed', delayMs: baseMs };
    case 'quadratic':
      return { kind: 'quadratic', baseMs, capMs };
  }
}

function toMilliseconds<T extends number | undefined>(seconds: T): T extends number ? number : number | undefined;
function toMilliseconds(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : Math.round(seconds * 1_000);
}

/** Every field may be undefined on the way in and none is on the way out; the compiler cannot follow `fromEntries`. */
function withoutUndefined<T extends object>(fields: { readonly [K in keyof T]: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}
