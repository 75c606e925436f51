import type { PayloadClass } from './job-definition.js';

/** Stands where there is no class; no instance of it is ever made. */
class UncheckedPayload {
  readonly unchecked = true;
}

/**
 * A payload class for payloads that only the compiler checks: `payload: unchecked<{ to: string }>()`. Any JSON object is taken,
 * and the handler gets it plain, as it was parsed. For submitters that are all trusted TypeScript; a type that others submit
 * over HTTP needs a class with rules.
 */
export function unchecked<P extends object>(): PayloadClass<P> {
  // As no instance is ever made, it may be said to make any.
  return UncheckedPayload as PayloadClass as PayloadClass<P>;
}

export function isUnchecked(payload: abstract new () => object): boolean {
  return payload === UncheckedPayload;
}
