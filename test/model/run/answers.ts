import { isDeepStrictEqual } from 'node:util';
import { must } from '../rules/violation.js';
import { WINDOW_MS } from './clock.js';
import { LATE } from './world.js';

/** The engine answered what the model says. */
export function mustEqual(what: string, actual: unknown, expected: unknown): void {
  must(isDeepStrictEqual(actual, expected), `${what} was answered ${JSON.stringify(actual)}, not ${JSON.stringify(expected)}`);
}

/** A number of ms from now on that the engine answered, for a time of day. */
export function mustBeDueIn(what: string, inMs: number | undefined, at: number | undefined, now: number): void {
  if (at === undefined || inMs === undefined) {
    mustEqual(what, inMs, at);
    return;
  }
  const expected = Math.max(at - now, 0);
  must(Math.abs(inMs - expected) <= WINDOW_MS, `${what} was said to be due in ${inMs} ms, not ${expected}`);
}

/** Only numbered calls can come late. */
export function mustNotBeLate<R>(answer: R | typeof LATE): asserts answer is R {
  must(answer !== LATE, 'a call was refused as late that has no number');
}

export function pick<T>(list: readonly T[], number: number): T | undefined {
  return list[number % list.length];
}
