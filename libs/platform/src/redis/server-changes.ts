import { Cluster, type Redis } from 'ioredis';
import { addressOf } from './address-of.js';
import type { RedisConnection } from './connect-redis.js';
import { masterAddress, slotOf } from './masters.js';

/** Whether a key is, or was, on one of the servers that it is about. */
export type Concerns = (key: string) => boolean;

/**
 * Calls back when the server of some keys may be another than before, or have another memory: the connection is a new one, a node
 * of a Cluster was lost, or slots have another master.
 * @returns what ends it.
 */
export function onServerChange(connection: RedisConnection, listener: (concerns: Concerns) => void): () => void {
  const renewed = (): void => {
    listener(() => true);
  };
  connection.on('ready', renewed);
  const forget = connection instanceof Cluster ? watchNodes(connection, listener) : undefined;
  return () => {
    connection.off('ready', renewed);
    forget?.();
  };
}

function watchNodes(cluster: Cluster, listener: (concerns: Concerns) => void): () => void {
  let masters = mastersBySlot(cluster);
  // One that subscribes is not there any more when its connection has ended; its address is told instead.
  const lost = (node: Redis | null, address = node === null ? '' : addressOf(node)): void => {
    listener((key) => masterAddress(cluster, key) === address);
  };
  const refreshed = (): void => {
    const before = masters;
    masters = mastersBySlot(cluster);
    const moved = new Set(masters.flatMap((master, slot) => (master === before[slot] ? [] : [slot])));
    if (moved.size > 0) listener((key) => moved.has(slotOf(key)));
  };
  cluster.on('-node', lost);
  cluster.on('refresh', refreshed);
  return () => {
    cluster.off('-node', lost);
    cluster.off('refresh', refreshed);
  };
}

/** Of each slot that is known of. */
function mastersBySlot({ slots }: Cluster): readonly (string | undefined)[] {
  return slots.map(([master]) => master);
}
