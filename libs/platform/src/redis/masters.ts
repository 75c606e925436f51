import { Command, Redis } from 'ioredis';
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
  const [node] = connection.slots[new Command('get', [key]).getSlot()] ?? [];
  const found = connection.nodes('master').find(({ options: { host, port } }) => `${host ?? ''}:${port ?? ''}` === node);
  return found && masterOf(found);
}

function masterOf(connection: Redis): RedisMaster {
  // Behind Sentinels the options name no server; a node of a Cluster may not be connected to yet.
  const { remoteAddress, remotePort } = (connection.stream as Redis['stream'] | undefined) ?? {};
  const { host = '', port = 0 } = connection.options;
  return { connection, host: remoteAddress ?? host, port: remotePort ?? port };
}
