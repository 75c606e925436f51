import { closeRedis, connectRedis, type RedisConnection } from '@antrean/platform';
import type { WorkerIdentity } from '../store/exchange.js';
import { Link } from '../store/link.js';
import type { WorkerOptions } from './worker-options.js';

/** What a worker is told by others. */
export interface WakeUpEvents {
  /** There may be work of the type; also after every reconnect, since a call may have been missed. */
  readonly onWake: (type: string) => void;
  /** The job was cancelled while it runs here. */
  readonly onCancel: (type: string, ulid: string) => void;
  /** There are events of the type to be handed on. */
  readonly onOutgoing: (type: string) => void;
}

/** Hears when there is work for this worker while it is idle, and which of its jobs are to stop. */
export class WakeUp {
  private redis: RedisConnection | undefined;

  constructor(
    private readonly options: WorkerOptions,
    private readonly worker: WorkerIdentity,
  ) {}

  start(types: readonly string[], { onWake, onCancel, onOutgoing }: WakeUpEvents): void {
    const { redisUrl, keyPrefix, logger } = this.options;
    if (this.redis !== undefined || types.length === 0) return;
    const redis = connectRedis(redisUrl, { name: 'antrean-wake-up', logger });
    this.redis = redis;
    const link = new Link(redis, keyPrefix);
    const typeOf = new Map(types.map((type) => [link.keys(type).wake(String(this.worker.number)), type]));
    redis.on('smessage', (channel: string, message: string) => {
      const type = typeOf.get(channel);
      if (type === undefined) return;
      if (message === '') onWake(type);
      else if (message === 'outgoing') onOutgoing(type);
      else onCancel(type, message);
    });
    redis.on('ready', () => {
      // One by one: the channels of two types may lie in different slots of a Cluster.
      Promise.all([...typeOf.keys()].map((channel) => redis.ssubscribe(channel))).then(
        () => {
          types.forEach(onWake);
        },
        (error: unknown) => {
          logger.warn({ err: error }, 'wake-up cannot subscribe, it will connect anew');
          redis.disconnect(true);
        },
      );
    });
  }

  stop(): void {
    if (this.redis !== undefined) closeRedis(this.redis);
    this.redis = undefined;
  }
}
