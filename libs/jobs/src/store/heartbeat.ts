import type { Link } from './link.js';
import { asArray, asNumber, asText } from './reply.js';
import { Script } from './script.js';

const script = new Script('heartbeat');

export interface Pulse {
  /** How many jobs the worker holds; undefined when it has no lease (any more). */
  readonly held: number | undefined;
  /** Ulids of running jobs of the type, of whatever worker, that are to stop; 100 at most. */
  readonly cancels: readonly string[];
}

/** Extends a worker's lease on a type. */
export async function heartbeat(link: Link, type: string, workerNumber: bigint, leaseMs: number): Promise<Pulse> {
  const keys = link.keys(type);
  const [held, ...cancels] = asArray(
    await script.run(link.redis, [keys.clock, keys.leases, keys.running, keys.cancels], [String(workerNumber), leaseMs]),
  );
  const count = asNumber(held);
  return { held: count < 0 ? undefined : count, cancels: cancels.map(asText) };
}
