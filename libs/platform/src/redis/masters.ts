import { Command, Redis, type Cluster } from 'ioredis';
import type { RedisConnection } from './connect-redis.js';

/** A server that takes writes. */
export interface RedisMaster {
  readonly connection: Redis;
  readonly host: string;
  readonly port: number;
}

/** All servers that take the writes of a connection that is ready: one, or in a Cluster each master that is known of. */
export function mastersOf(connection: RedisConnection): readonly RedisMaster[] {
  if (connection instanceof Redis) return [masterOf(connection)];
  return connection.nodes('master').map(masterOf);
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

/** As a Cluster writes it. */
export function addressOf({ options: { host, port } }: Redis): string {
  return `${host ?? ''}:${port ?? ''}`;
}

function masterOf(connection: Redis): RedisMaster {
  // Behind Sentinels the options name no server; a node of a Cluster may not be connected to yet.
  const { remoteAddress, remotePort } = (connection.stream as Redis['stream'] | undefined) ?? {};
  const { host = '', port = 0 } = connection.options;
  return { connection, host: remoteAddress ?? host, port: remotePort ?? port };
}
