import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { eventually } from './eventually.js';
import { freePort } from './free-port.js';
import { RedisProcess } from './redis-process.js';
import { TestRedis } from './test-redis.js';

const NAME = 'jobs';
const LOAD = ['--repl-diskless-sync', 'yes', '--repl-diskless-sync-delay', '0', '--repl-diskless-load', 'swapdb'];

/** A master, a replica and a Sentinel that lets the one take the other's place. */
export class TestSentinel {
  private constructor(
    private readonly servers: readonly [TestRedis, TestRedis],
    private readonly sentinel: RedisProcess,
    private readonly port: number,
    private readonly folder: string,
    private readonly redis: Redis,
  ) {}

  static async start(): Promise<TestSentinel> {
    const master = await TestRedis.start(LOAD);
    const replica = await TestRedis.start([...LOAD, '--replicaof', '127.0.0.1', String(master.port)]);
    const [port, folder] = [await freePort(), await mkdtemp(join(tmpdir(), 'antrean-sentinel-'))];
    // It writes what it learns into its configuration, so that must be a file.
    const config = join(folder, 'sentinel.conf');
    await writeFile(
      config,
      [
        `port ${port}`,
        'bind 127.0.0.1',
        `dir ${folder}`,
        `sentinel monitor ${NAME} 127.0.0.1 ${master.port} 1`,
        `sentinel down-after-milliseconds ${NAME} 1500`,
        `sentinel failover-timeout ${NAME} 5000`,
      ].join('\n'),
    );
    const sentinel = await RedisProcess.start([config, '--sentinel'], '+monitor');
    const redis = new Redis({ port });
    const started = new TestSentinel([master, replica], sentinel, port, folder, redis);
    await started.untilReplicated();
    return started;
  }

  get url(): string {
    return `redis+sentinel://127.0.0.1:${this.port}/${NAME}`;
  }

  async master(): Promise<TestRedis> {
    const [, port] = (await this.redis.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', NAME)) as readonly string[];
    const [first, second] = this.servers;
    return Number(port) === first.port ? first : second;
  }

  /** Resolves once the Sentinel has another master than this. */
  async untilReplaced(before: TestRedis): Promise<void> {
    await eventually(async () => {
      if ((await this.master()) === before) throw new Error('There was no failover.');
    });
  }

  /** Starts a server that was killed, as a replica once the Sentinel has told it so; resolves when it has all data. */
  async revive(server: TestRedis): Promise<void> {
    await server.restart(LOAD);
    await this.untilReplicated();
  }

  /** The replica gets nothing more of its master while that lives; all others go on with it. */
  async cutReplica(): Promise<void> {
    const master = new Redis({ port: (await this.master()).port });
    // Whoever is connected stays so.
    await master.config('SET', 'requirepass', 'known to nobody');
    await master.client('KILL', 'TYPE', 'REPLICA');
    master.disconnect();
  }

  /** Lets the replica take the place of a master that is alive. */
  async failOver(): Promise<void> {
    const before = await this.master();
    await this.redis.call('SENTINEL', 'FAILOVER', NAME);
    await this.untilReplaced(before);
  }

  async stop(): Promise<void> {
    this.redis.disconnect();
    await this.sentinel.end('SIGTERM');
    await Promise.all(this.servers.map((server) => server.stop()));
    await rm(this.folder, { recursive: true, force: true });
  }

  /** Resolves once the master has its replica: Sentinel takes ten seconds to make one of what was the master, and under load all of it is copied. */
  async untilReplicated(): Promise<void> {
    await eventually(async () => {
      const master = new Redis({ port: (await this.master()).port });
      const replication = await master.info('replication').finally(() => {
        master.disconnect();
      });
      const seen = (await this.redis.call('SENTINEL', 'REPLICAS', NAME)) as readonly unknown[];
      if (!replication.includes('state=online') || seen.length === 0) throw new Error(replication);
    }, 60_000);
  }
}
