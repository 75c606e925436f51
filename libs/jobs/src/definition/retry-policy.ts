import { toMs, type Duration } from './duration.js';

/** A back-off that can be written down with a job: every kind but a function. */
export type StoredRetryPolicy =
  | { readonly kind: 'exponential'; readonly baseMs: number; readonly factor: number; readonly capMs: number }
  | { readonly kind: 'fixed'; readonly delayMs: number }
  | { readonly kind: 'quadratic'; readonly baseMs: number; readonly capMs: number };

/** How long to wait before the next attempt. `attempt` in a function is the number of the one that just failed, from 1. */
export type RetryPolicy =
  StoredRetryPolicy | { readonly kind: 'custom'; readonly delayMs: (attempt: number, error: unknown) => number };

/** The longest wait any policy may ask for: 30 days. Longer ones are cut to it. */
export const MAX_RETRY_DELAY_MS = toMs('30d');

/** What a back-off is where nothing else is said. */
export const BACKOFF_DEFAULTS = { base: '1s', factor: 2, cap: '10m' } as const;

/**
 * Full jitter: the wait is drawn evenly between 0 and `base * factor^(attempt - 1)`, the latter never above `cap`.
 * Defaults: base 1 s, factor 2, cap 10 min.
 */
export function exponential(shape: { base?: Duration; factor?: number; cap?: Duration } = {}): StoredRetryPolicy {
  const { base = BACKOFF_DEFAULTS.base, factor = BACKOFF_DEFAULTS.factor, cap = BACKOFF_DEFAULTS.cap } = shape;
  return { kind: 'exponential', baseMs: toMs(base), factor, capMs: toMs(cap) };
}

/** The same wait every time, without jitter. */
export function fixed(delay: Duration): StoredRetryPolicy {
  return { kind: 'fixed', delayMs: toMs(delay) };
}

/** `base * attempt²`, never above `cap`, without jitter. Default cap: 10 min. */
export function quadratic(shape: { base: Duration; cap?: Duration }): StoredRetryPolicy {
  return { kind: 'quadratic', baseMs: toMs(shape.base), capMs: toMs(shape.cap ?? BACKOFF_DEFAULTS.cap) };
}

/** A function of one's own. A result that is no finite number of milliseconds ≥ 0 counts as the default policy's cap. */
export function custom(delayMs: (attempt: number, error: unknown) => number): RetryPolicy {
  return { kind: 'custom', delayMs };
}

/**
 * Whole milliseconds to wait after `attempt` (from 1) failed with `error`.
 * @param random draws from [0, 1); tests pass their own.
 */
export function retryDelayMs(policy: RetryPolicy, attempt: number, error: unknown, random: () => number = Math.random): number {
  const ms = wanted(policy, attempt, error, random);
  // A policy is not checked where it is written: one that makes no number must not keep the attempt from being settled.
  return Number.isNaN(ms) ? FALLBACK_MS : Math.round(Math.min(Math.max(ms, 0), MAX_RETRY_DELAY_MS));
}

function wanted(policy: RetryPolicy, attempt: number, error: unknown, random: () => number): number {
  switch (policy.kind) {
    case 'exponential':
      // The factor may grow out of all numbers, and 0 times that is none.
      return policy.baseMs === 0 ? 0 : random() * Math.min(policy.baseMs * policy.factor ** (attempt - 1), policy.capMs);
    case 'fixed':
      return policy.delayMs;
    case 'quadratic':
      return Math.min(policy.baseMs * attempt ** 2, policy.capMs);
    case 'custom':
      return fromFunction(policy.delayMs, attempt, error);
  }
}

const FALLBACK_MS = toMs(BACKOFF_DEFAULTS.cap);

/** A policy function is user code: one that throws or answers nonsense must not keep the attempt from being settled. */
function fromFunction(delayMs: (attempt: number, error: unknown) => number, attempt: number, error: unknown): number {
  try {
    const answer = delayMs(attempt, error);
    return Number.isFinite(answer) && answer >= 0 ? answer : FALLBACK_MS;
  } catch {
    return FALLBACK_MS;
  }
}
