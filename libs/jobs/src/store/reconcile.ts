import type { Link } from './link.js';
import { asArray, asBuffer, asNumber, asText } from './reply.js';
import { Script } from './script.js';

const script = new Script('reconcile');

export interface ReconcileCall {
  readonly type: string;
  readonly workerNumber: bigint;
  readonly lane: number;
  /** Counts with the lane's exchanges. */
  readonly call: number;
  readonly leaseMs: number;
  /** Entries to pass over, and to look at. */
  readonly offset: number;
  readonly limit: number;
}

export interface Held {
  readonly ulid: string;
  readonly token: Buffer;
}

export interface Reconciled {
  /** How many entries were looked at; fewer than the limit: there are no more. */
  readonly seen: number;
  readonly held: readonly Held[];
}

/** Which jobs stand under a worker; calls of the lane with smaller numbers come late from now on. */
export async function reconcile(link: Link, call: ReconcileCall): Promise<Reconciled> {
  const keys = link.keys(call.type);
  const { workerNumber, lane, offset, limit, leaseMs } = call;
  const [seen, ...pairs] = asArray(
    await script.run(
      link.redis,
      [keys.clock, keys.lanes, keys.running, keys.leases],
      [String(workerNumber), lane, call.call, offset, limit, leaseMs],
    ),
  );
  const held: Held[] = [];
  for (let i = 0; i < pairs.length; i += 2) held.push({ ulid: asText(pairs[i]), token: asBuffer(pairs[i + 1]) });
  return { seen: asNumber(seen), held };
}
