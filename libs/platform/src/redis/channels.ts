import type { RedisConnection } from './connect-redis.js';

/** Hears a sharded channel on the server that has it now. Rejects when that cannot be reached; then it is to be tried again. */
export async function listenTo(connection: RedisConnection, channel: string): Promise<void> {
  if (connection.status !== 'ready') throw new Error('Connection is closed.');
  leave(connection, channel);
  try {
    await connection.ssubscribe(channel);
  } catch (error) {
    leave(connection, channel);
    throw error;
  }
}

/**
 * Hears a channel no more. The client of a Cluster keeps in mind all that it was asked to subscribe to, once for each time, and while the
 * node of one is away it tries that again and again without a pause.
 */
export function leave(connection: RedisConnection, channel: string): void {
  // A connection that is lost has lost its channels as well.
  connection.sunsubscribe(channel).catch(() => undefined);
}
