import { Redis } from 'ioredis';

/** What Redis says of itself. */
export interface RedisReading {
  /** Of the one thread that carries out commands, network included. */
  readonly cpuUs: number;
  /** Within scripts, by the clock. */
  readonly scriptUs: number;
  readonly scriptCalls: number;
  /** Without the buffers of connections. */
  readonly bytes: number;
}

/** A connection of the benchmark's own, to look at Redis and to empty it. */
export class RedisMeter {
  private readonly redis: Redis;

  constructor(redisUrl: string) {
    this.redis = new Redis(redisUrl);
  }

  async clear(): Promise<void> {
    await this.redis.flushall('SYNC');
  }

  async version(): Promise<string> {
    return fieldOf(await this.redis.info('server'), 'redis_version') ?? 'unknown';
  }

  async read(): Promise<RedisReading> {
    const [cpu, commands, memory] = await Promise.all([
      this.redis.info('cpu'),
      this.redis.info('commandstats'),
      this.redis.info('memory'),
    ]);
    const seconds = numberIn(cpu, 'used_cpu_user_main_thread') + numberIn(cpu, 'used_cpu_sys_main_thread');
    const scripts = [...commands.matchAll(/^cmdstat_eval(?:sha)?:calls=(\d+),usec=(\d+)/gm)];
    return {
      cpuUs: seconds * 1e6,
      scriptUs: scripts.reduce((sum, [, , usec]) => sum + Number(usec), 0),
      scriptCalls: scripts.reduce((sum, [, calls]) => sum + Number(calls), 0),
      bytes: numberIn(memory, 'used_memory') - numberIn(memory, 'mem_clients_normal'),
    };
  }

  close(): void {
    this.redis.disconnect();
  }
}

function numberIn(info: string, field: string): number {
  const value = Number(fieldOf(info, field));
  if (!Number.isFinite(value)) throw new Error(`This Redis does not tell ${field}.`);
  return value;
}

function fieldOf(info: string, field: string): string | undefined {
  return new RegExp(`^${field}:(.+?)\\r?$`, 'm').exec(info)?.[1];
}
