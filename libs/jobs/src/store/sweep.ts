import type { Link } from './link.js';
import { asNumber } from './reply.js';
import { Script } from './script.js';

const script = new Script('sweep');

/** A status whose jobs are kept for a while and then removed. */
export type SweptStatus = 'succeeded' | 'failed' | 'cancelled' | 'expired';

/** Removes finished jobs older than `retentionMs`, at most `limit`. How many there were. */
export async function sweep(link: Link, type: string, status: SweptStatus, retentionMs: number, limit: number): Promise<number> {
  const keys = link.keys(type);
  return asNumber(await script.run(link.redis, [keys.clock, keys[status]], [retentionMs, limit]));
}
