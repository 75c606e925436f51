import { closeRedis, connectRedis, onServerChange, type RedisConnection } from '@antrean/platform';
import type { WorkerIdentity } from '../store/exchange.js';
import { Link } from '../store/link.js';
import { WakeUpChannel } from './wake-up-channel.js';
import type { WorkerOptions } from './worker-options.js';

/** What a worker is told by others. */
export interface WakeUpEvents {
  /** There may be work of the type; also whenever its channel is heard anew, since a call may have been missed. */
  readonly onWake: (type: string) => void;
  /** The job was cancelled while it runs here. */
  readonly onCancel: (type: string, ulid: string) => void;
  /** There are events of the type to be handed on. */
  readonly onOutgoing: (type: string) => void;
}

/** Hears when there is work for this worker while it is idle, and which of its jobs are to stop. */
export class WakeUp {
  private redis: RedisConnection | undefined;
  /** By name. */
  private channels: ReadonlyMap<string, WakeUpChannel> = new Map();
  private forgetServers: () => void = () => undefined;

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
    // Each by itself: the types lie on several nodes of a Cluster, one of which may be away.
    this.channels = new Map(
      types.map((type) => {
        const name = link.keys(type).wake(String(this.worker.number));
        const onHeard = () => {
          onWake(type);
        };
        return [name, new WakeUpChannel(type, name, redis, logger, onHeard)];
      }),
    );
    redis.on('smessage', (name: string, message: string) => {
      const type = this.channels.get(name)?.type;
      if (type === undefined) return;
      if (message === '') onWake(type);
      else if (message === 'outgoing') onOutgoing(type);
      else onCancel(type, message);
    });
    this.forgetServers = onServerChange(redis, (concerns) => {
      for (const [name, channel] of this.channels) if (concerns(name)) channel.hearAnew();
    });
  }

  stop(): void {
    this.forgetServers();
    if (this.redis !== undefined) closeRedis(this.redis);
    this.redis = undefined;
    for (const channel of this.channels.values()) channel.stop();
  }
}
