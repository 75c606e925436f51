import type { Link } from './link.js';
import { asArray, asNumber } from './reply.js';
import { Script } from './script.js';

const script = new Script('sweep');

export interface SweepCall {
  readonly type: string;
  readonly retentionMs: number;
  /** For failed jobs. */
  readonly deadRetentionMs: number;
  readonly limit: number;
  /** More failed jobs than this are not kept, however young. */
  readonly maxFailed: number;
}

export interface Swept {
  readonly removed: number;
  /** Milliseconds until the next finished job is to be removed; undefined when none is kept. */
  readonly nextDueInMs: number | undefined;
}

/**
 * Removes finished jobs whose retention is over, and the oldest failed ones when there are too many. Forgets workers that run
 * nothing and have not been heard of for ten minutes.
 */
export async function sweep(link: Link, { type, retentionMs, deadRetentionMs, limit, maxFailed }: SweepCall): Promise<Swept> {
  const keys = link.keys(type);
  const [removed, nextDueIn] = asArray(
    await script.run(
      link.redis,
      [keys.clock, keys.succeeded, keys.failed, keys.cancelled, keys.expired, keys.idle, keys.workers, keys.lanes, keys.leases],
      [retentionMs, deadRetentionMs, limit, maxFailed],
    ),
  ).map(asNumber);
  return { removed: removed ?? 0, nextDueInMs: nextDueIn === undefined || nextDueIn < 0 ? undefined : nextDueIn };
}
