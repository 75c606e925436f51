import { WINDOW_MS } from './clock.js';

/** Notes a difference between what was found and what the model says, if there is one. */
export type Differ = (what: string, found: unknown, expected: unknown) => void;

export function newDiffer(found: string[]): Differ {
  return (what, actual, expected) => {
    const [a, e] = [JSON.stringify(actual), JSON.stringify(expected)];
    if (a !== e) found.push(`${what} is ${a}, not ${e}`);
  };
}

/** The recorded time where it is the model's, within the window; else the model's. */
export function near(recorded: number, time: number): number {
  return time !== 0 && recorded >= time && recorded <= time + WINDOW_MS ? recorded : time;
}

export const sorted = <T>(entries: Iterable<readonly [string, T]>): (readonly [string, T])[] =>
  [...entries].sort(([a], [b]) => (a < b ? -1 : 1));
