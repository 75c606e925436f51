import { Redis } from 'ioredis';
import { TestRedis } from '../../support/test-redis.js';
import type { Mode } from '../options.js';
import { AofSizes } from './aof-sizes.js';

const PERSISTENCE: Readonly<Record<Mode, readonly string[]>> = {
  always: ['--appendonly', 'yes', '--appendfsync', 'always'],
  // A new file in the middle would have no size from before.
  everysec: ['--appendonly', 'yes', '--appendfsync', 'everysec', '--auto-aof-rewrite-percentage', '0'],
  none: ['--appendonly', 'no'],
};

/** The Redis of the queue, which the faults hit. */
export class QueueRedis {
  private constructor(
    private readonly mode: Mode,
    private readonly server: TestRedis,
    private readonly redis: Redis,
    private readonly sizes: AofSizes | undefined,
  ) {}

  static async start(mode: Mode): Promise<QueueRedis> {
    const server = await TestRedis.start(PERSISTENCE[mode]);
    const redis = new Redis(server.url, { retryStrategy: () => 50, maxRetriesPerRequest: null });
    // Each kill brings some.
    redis.on('error', () => undefined);
    return new QueueRedis(mode, server, redis, mode === 'everysec' ? new AofSizes(server.folder) : undefined);
  }

  get url(): string {
    return this.server.url;
  }

  /** Resolves to the time from which on writes are lost, if any are, given the time of the kill. */
  async kill(atMs: number): Promise<number | undefined> {
    await this.server.kill();
    if (this.mode === 'none') return 0;
    return this.sizes?.cutBack(atMs);
  }

  /** Resolves once it takes commands. */
  async restart(): Promise<void> {
    await this.server.restart(PERSISTENCE[this.mode]);
    this.sizes?.begin();
  }

  async flushScripts(): Promise<void> {
    await this.redis.script('FLUSH');
  }

  /** From now on there is no room for more. */
  async fill(): Promise<void> {
    const used = /used_memory:(\d+)/.exec(await this.redis.info('memory'))?.[1];
    await this.redis.config('SET', 'maxmemory', used ?? '1');
  }

  async empty(): Promise<void> {
    await this.redis.config('SET', 'maxmemory', '0');
  }

  /** How many members a sorted set has. */
  count(key: string): Promise<number> {
    return this.redis.zcard(key);
  }

  async stop(): Promise<void> {
    this.redis.disconnect();
    this.sizes?.end();
    await this.server.stop();
  }
}
