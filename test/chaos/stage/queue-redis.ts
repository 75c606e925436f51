import { Redis } from 'ioredis';
import type { TypeKeys } from '../../../libs/jobs/src/store/keys.js';
import { TestRedis } from '../../support/test-redis.js';
import { grouped } from '../judge/grouped.js';
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

  /** What it holds: keys, memory, connections. */
  async usage(): Promise<Readonly<Record<'keys' | 'redis_bytes' | 'connections', number>>> {
    const text = (await Promise.all([this.redis.info('memory'), this.redis.info('clients')])).join();
    const numberOf = (name: string) => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(text)?.[1]);
    return { keys: await this.redis.dbsize(), redis_bytes: numberOf('used_memory'), connections: numberOf('connected_clients') };
  }

  /** The names of all keys; it looks at each. */
  keyNames(): Promise<string[]> {
    return this.redis.keys('*');
  }

  /** How many jobs of a type run. */
  runs({ running }: TypeKeys): Promise<number> {
    return this.redis.zcard(running);
  }

  /** The same by the id of the process that runs them. */
  async runsByPid({ running, workers }: TypeKeys): Promise<ReadonlyMap<number, number>> {
    const scores = (await this.redis.zrange(running, '0', '-1', 'WITHSCORES')).filter((_, index) => index % 2 === 1);
    const byWorker = grouped(scores, (worker) => worker);
    const about = await this.redis.hgetall(workers);
    // What a worker says of itself ends with its process id.
    return new Map([...byWorker].map(([worker, { length }]) => [Number(about[worker]?.split(' ').at(-1)), length]));
  }

  async stop(): Promise<void> {
    this.redis.disconnect();
    this.sizes?.end();
    await this.server.stop();
  }
}
