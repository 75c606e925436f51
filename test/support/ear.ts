import { closeRedis, connectRedis, waitUntilReady, type RedisConnection } from '@antrean/platform';
import type { TypeKeys } from '../../libs/jobs/src/store/keys.js';
import { REDIS_URL, silentLogger } from './shared-redis.js';

/** The wake-ups that a worker hears, in order with all others. */
export class Ear {
  private constructor(
    private readonly redis: RedisConnection,
    private readonly keys: TypeKeys,
    private readonly heard: string[],
  ) {}

  static async of({ keys }: { readonly keys: TypeKeys }): Promise<Ear> {
    const redis = connectRedis(REDIS_URL, { name: 'antrean-test-ear', logger: silentLogger });
    await waitUntilReady(redis, 10_000);
    const heard: string[] = [];
    redis.on('smessage', (channel: string) => heard.push(channel));
    return new Ear(redis, keys, heard);
  }

  async listenFor(worker: { readonly number: string }): Promise<void> {
    await this.redis.ssubscribe(this.keys.wake(worker.number));
  }

  /** All wake-ups since the last time; what was published before the call has arrived by then. */
  async drain(): Promise<string[]> {
    // Redis answers on this connection after all it told it before.
    await this.redis.ping();
    return this.heard.splice(0);
  }

  close(): void {
    closeRedis(this.redis);
  }
}
