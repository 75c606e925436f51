import type { Link } from './link.js';
import { asNumber } from './reply.js';
import { Script } from './script.js';

const script = new Script('heartbeat');

/** Extends a worker's lease on a type. How many jobs it holds; undefined when it has no lease (any more). */
export async function heartbeat(link: Link, type: string, workerNumber: bigint, leaseMs: number): Promise<number | undefined> {
  const keys = link.keys(type);
  const held = asNumber(await script.run(link.redis, [keys.clock, keys.leases, keys.running], [String(workerNumber), leaseMs]));
  return held < 0 ? undefined : held;
}
