import type { Link } from './link.js';
import { asArray, asBuffer, asText } from './reply.js';
import { Script } from './script.js';

const script = new Script('reconcile');

export interface ReconcileCall {
  readonly type: string;
  readonly workerNumber: bigint;
  readonly lane: number;
  /** Counts with the lane's exchanges. */
  readonly call: number;
  readonly leaseMs: number;
  /** From the page before; the empty string for the first one. */
  readonly after: string;
  /** How many entries to look at. */
  readonly limit: number;
}

export interface Held {
  readonly ulid: string;
  readonly token: Buffer;
}

export interface Reconciled {
  /** The ulid behind which the next page begins; undefined: there are no more. */
  readonly next: string | undefined;
  readonly held: readonly Held[];
}

/** Which jobs stand under a worker; calls of the lane with smaller numbers come late from now on. */
export async function reconcile(link: Link, call: ReconcileCall): Promise<Reconciled> {
  const keys = link.keys(call.type);
  const { workerNumber, lane, after, limit, leaseMs } = call;
  const [next, ...pairs] = asArray(
    await script.run(
      link.redis,
      [keys.clock, keys.lanes, keys.running, keys.leases, keys.workers],
      [String(workerNumber), lane, call.call, after, limit, leaseMs],
    ),
  );
  const held: Held[] = [];
  for (let i = 0; i < pairs.length; i += 2) held.push({ ulid: asText(pairs[i]), token: asBuffer(pairs[i + 1]) });
  return { next: asText(next) || undefined, held };
}
