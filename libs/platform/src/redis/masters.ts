import { Command, Redis, type Cluster } from 'ioredis';
import { addressOf } from './address-of.js';
import type { RedisConnection } from './connect-redis.js';

/** A server that takes writes. */
export interface RedisMaster {
  readonly connection: Redis;
  /** By which the connection knows it: as a Cluster writes it. */
  readonly address: string;
  readonly host: string;
  readonly port: number;
}

/** The servers that take the writes of a connection. */
export interface RedisMasters {
  readonly masters: readonly RedisMaster[];
  /** Addresses of those that serve a part of a Cluster, and to which there is no connection. */
  readonly away: readonly string[];
}

/** All servers that take the writes of a connection that is ready: one, or in a Cluster each master of which it knows. */
export async function mastersOf(connection: RedisConnection): Promise<RedisMasters> {
  if (connection instanceof Redis) return { masters: [masterOf(connection)], away: [] };
  // The client drops a node whose connection has ended until it reads the map again.
  if (awayFrom(connection).length > 0) await readMap(connection);
  return { masters: connection.nodes('master').map(masterOf), away: awayFrom(connection) };
}

/** The masters by the map of the Cluster that the client has no connection for. */
function awayFrom(cluster: Cluster): readonly string[] {
  const connected = new Set(cluster.nodes('master').map(addressOf));
  const serving = new Set(cluster.slots.flatMap(([master]) => master ?? []));
  return [...serving].filter((address) => !connected.has(address));
}

function readMap(cluster: Cluster): Promise<void> {
  return new Promise((resolve, reject) => {
    cluster.refreshSlotsCache((error) => {
      if (error) reject(error);
      else resolve();
    });
  });
}

/** The server that takes the writes to a key, as far as is known; undefined when none does. */
export function masterOfKey(connection: RedisConnection, key: string): RedisMaster | undefined {
  if (connection instanceof Redis) return masterOf(connection);
  const address = masterAddress(connection, key);
  const found = connection.nodes('master').find((node) => addressOf(node) === address);
  return found && masterOf(found);
}

/** Where a Cluster says the master of a key is, be it there or not; undefined while nothing is known of its slot. */
export function masterAddress({ slots }: Cluster, key: string): string | undefined {
  return slots[slotOf(key)]?.[0];
}

export function slotOf(key: string): number {
  return new Command('get', [key]).getSlot();
}

function masterOf(connection: Redis): RedisMaster {
  // Behind Sentinels the options name no server; a node of a Cluster may not be connected to yet.
  const { remoteAddress, remotePort } = (connection.stream as Redis['stream'] | undefined) ?? {};
  const { host = '', port = 0 } = connection.options;
  return { connection, address: addressOf(connection), host: remoteAddress ?? host, port: remotePort ?? port };
}
