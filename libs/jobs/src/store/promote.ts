import type { Link } from './link.js';
import { asArray, asNumber } from './reply.js';
import { Script } from './script.js';

const script = new Script('promote');

export interface Promotion {
  readonly moved: number;
  /** Milliseconds until the next waiting job is due, at least 0; undefined when none waits. */
  readonly nextDueInMs: number | undefined;
}

/** Moves jobs of a type whose time has come to the back of their line, at most `limit`. */
export async function promote(link: Link, type: string, limit: number): Promise<Promotion> {
  const keys = link.keys(type);
  const [moved, nextDue, now] = asArray(
    await script.run(link.redis, [keys.clock, keys.scheduled, keys.retrying, keys.idle, ...keys.ready], [limit]),
  ).map(asNumber);
  return { moved: moved ?? 0, nextDueInMs: nextDue ? Math.max(nextDue - (now ?? 0), 0) : undefined };
}
