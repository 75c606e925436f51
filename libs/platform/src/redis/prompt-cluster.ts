import { Cluster, type Command, type Redis } from 'ioredis';

/**
 * What the client asks before it is ready, or has to hear of once it is: a channel that is left during an outage is not to be back
 * after it.
 */
const PATIENT = new Set(['cluster', 'sunsubscribe']);

/**
 * A client of a Cluster that rejects commands at once while no node can be reached. By itself it would keep them until one can,
 * however many they are and however long that takes.
 */
export class PromptCluster extends Cluster {
  /** As a Cluster writes their addresses; undefined: all. */
  servers: ReadonlySet<string> | undefined;

  override sendCommand(...args: Parameters<Cluster['sendCommand']>): unknown {
    const [command] = args;
    const fault = this.faultOf(command);
    if (fault === undefined) return super.sendCommand(...args);
    command.reject(fault);
    return command.promise;
  }

  private faultOf(command: Command): Error | undefined {
    if (this.status !== 'ready' && !PATIENT.has(command.name)) return new Error('Connection is closed.');
    if (this.servers === undefined) return undefined;
    // None where it is about no key.
    const server = this.slots[command.getSlot()]?.[0];
    return server === undefined || this.servers.has(server) ? undefined : new ServerHeldBackError(server);
  }
}

/** Nothing is sent to a server for now. */
export class ServerHeldBackError extends Error {
  override readonly name = 'ServerHeldBackError';

  constructor(server: string) {
    super(`Nothing is sent to ${server} for now.`);
  }
}

/**
 * From now on commands about keys go to these servers of a Cluster alone, those about keys of others are rejected at once; undefined:
 * to all. There is nothing to choose where there is one server.
 */
export function confineTo(connection: Redis | Cluster, servers: ReadonlySet<string> | undefined): void {
  if (connection instanceof PromptCluster) connection.servers = servers;
}
