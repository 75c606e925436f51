import { InvalidPayloadError, JobAbortedError, PermanentError, RetryAfterError, Snooze } from './errors.js';
import { BOUNDS, type JobDefinition } from './job-definition.js';
import { retryDelayMs, type RetryPolicy } from './retry-policy.js';

/** What a handler's end means for its job. */
export type Verdict =
  | { readonly kind: 'retry'; readonly delayMs: number }
  | { readonly kind: 'bury' }
  | { readonly kind: 'snooze'; readonly delayMs: number };

/** A job without a deadline that only ever snoozes is buried after this many. */
export const MAX_SNOOZES = 1_000;

/** What is to become of a job whose handler threw. `attempt` is the number of the run that failed. */
export function judge(definition: JobDefinition, retry: RetryPolicy, attempt: number, thrown: unknown): Verdict {
  const byPolicy = () => retryDelayMs(retry, attempt, thrown);
  if (isA(thrown, Snooze)) return { kind: 'snooze', delayMs: waitIn(thrown) ?? byPolicy() };
  if (isPermanentFor(definition, thrown)) return { kind: 'bury' };
  if (isA(thrown, RetryAfterError)) return { kind: 'retry', delayMs: Math.max(waitIn(thrown) ?? 0, byPolicy()) };
  return { kind: 'retry', delayMs: byPolicy() };
}

/** `instanceof` asks the value itself, and a proxy may throw at that. */
function isA<E extends Error>(thrown: unknown, kind: abstract new (...args: never[]) => E): thrown is E {
  try {
    return thrown instanceof kind;
  } catch {
    return false;
  }
}

/**
 * The wait that an error asks for, in whole ms, cut to what a record and a date can hold; undefined when what stands there is no
 * length of time. It is the thrower's to fill: any value, or a getter that throws.
 */
function waitIn(thrown: { readonly delayMs: unknown }): number | undefined {
  try {
    const { delayMs } = thrown;
    return typeof delayMs === 'number' && delayMs >= 0 ? Math.round(Math.min(delayMs, BOUNDS.delayMs.max)) : undefined;
  } catch {
    return undefined;
  }
}

function isPermanentFor(definition: JobDefinition, thrown: unknown): boolean {
  if (isA(thrown, PermanentError) || isA(thrown, InvalidPayloadError)) return true;
  if (isA(thrown, RetryAfterError) || isA(thrown, JobAbortedError)) return false;
  try {
    return (definition.permanent ?? isPermanent)(thrown);
  } catch {
    // A classifier is user code; when it cannot tell, the job is tried again.
    return false;
  }
}

/** HTTP answers by which a server asks to be tried again, though they are in the 4xx range. */
const PASSING_4XX: ReadonlySet<number> = new Set([408, 425, 429]);

/** The default classifier: an error that carries an HTTP status of 4xx is permanent, but for 408, 425 and 429. */
export function isPermanent(error: unknown): boolean {
  const status = httpStatusOf(error);
  return status !== undefined && status >= 400 && status < 500 && !PASSING_4XX.has(status);
}

function httpStatusOf(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const { status, statusCode, response } = error as { status?: unknown; statusCode?: unknown; response?: unknown };
  const own = [status, statusCode].find((value) => typeof value === 'number');
  if (own !== undefined) return own;
  return typeof response === 'object' && response !== null && response !== error && 'status' in response
    ? httpStatusOf({ status: response.status })
    : undefined;
}
