import type { Link } from './link.js';
import { asArray, asJobs, asNumber, type StoredJob } from './reply.js';
import { Script } from './script.js';

const script = new Script('promote');

export interface Promotion {
  /** The jobs that queue now, without their payloads. */
  readonly moved: readonly StoredJob[];
  /** Milliseconds until the next waiting job is due; undefined when none waits. */
  readonly nextDueInMs: number | undefined;
}

/** Moves jobs of a type whose time has come to the back of their line, at most `limit`. */
export async function promote(link: Link, type: string, limit: number): Promise<Promotion> {
  const keys = link.keys(type);
  const [nextDueIn, ...moved] = asArray(
    await script.run(link.redis, [keys.clock, keys.scheduled, keys.retrying, keys.idle, ...keys.ready], [limit]),
  );
  const nextDueInMs = asNumber(nextDueIn);
  return { moved: asJobs(moved), nextDueInMs: nextDueInMs < 0 ? undefined : nextDueInMs };
}
