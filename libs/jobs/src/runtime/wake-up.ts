import { closeRedis, connectRedis, type RedisConnection } from '@antrean/platform';
import type { WorkerIdentity } from '../store/exchange.js';
import { Link } from '../store/link.js';
import type { WorkerOptions } from './worker-options.js';

/** Hears when there is work for this worker while it is idle. */
export class WakeUp {
  private redis: RedisConnection | undefined;

  constructor(
    private readonly options: WorkerOptions,
    private readonly worker: WorkerIdentity,
  ) {}

  /** @param onWake told the type; after every reconnect told of all types, since a call may have been missed. */
  start(types: readonly string[], onWake: (type: string) => void): void {
    const { redisUrl, keyPrefix, logger } = this.options;
    if (this.redis !== undefined || types.length === 0) return;
    const redis = connectRedis(redisUrl, { name: 'antrean-wake-up', logger });
    this.redis = redis;
    const link = new Link(redis, keyPrefix);
    const typeOf = new Map(types.map((type) => [link.keys(type).wake(String(this.worker.number)), type]));
    redis.on('smessage', (channel: string) => {
      const type = typeOf.get(channel);
      if (type !== undefined) onWake(type);
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
