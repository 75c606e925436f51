import { Cluster, type Command } from 'ioredis';

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
  override sendCommand(command: Command, ...route: SendArguments): unknown {
    if (this.status === 'ready' || PATIENT.has(command.name)) return super.sendCommand(command, ...route);
    command.reject(new Error('Connection is closed.'));
    return command.promise;
  }
}

type SendArguments = Parameters<Cluster['sendCommand']> extends [unknown, ...infer Rest] ? Rest : never;
