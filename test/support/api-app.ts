import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import supertest from 'supertest';
import { createLogger, loadApiConfig, type Logger } from '@antrean/platform';
import type { CreateOptions } from '../../apps/api/src/create-api.js';
import { startApi } from '../../apps/api/src/start-api.js';
import { REDIS_URL, newKeyPrefix } from './shared-redis.js';

export interface TestApi {
  readonly url: string;
  readonly adminUrl: string | undefined;
  readonly http: ReturnType<typeof supertest>;
  /** Every line of the api's log so far. */
  readonly log: readonly Readonly<Record<string, unknown>>[];
  /** How many keys of this api are in Redis. */
  countKeys(): Promise<number>;
  /** Overwrites the record of a job with what is none. */
  spoil(jobId: string): Promise<void>;
  close(signal?: 'SIGTERM'): Promise<void>;
}

/** The real api on a port of its own and a key prefix of its own, set up by environment variables. */
export async function startTestApi(env: NodeJS.ProcessEnv = {}, options: CreateOptions = {}): Promise<TestApi> {
  const folder = await mkdtemp(join(tmpdir(), 'antrean-api-'));
  const own = {
    REDIS_URL,
    KEY_PREFIX: newKeyPrefix(),
    DATABASE_URL: `sqlite:${join(folder, 'shop.db')}`,
    PORT: '0',
    LOG_LEVEL: 'debug',
  };
  const config = loadApiConfig({ ...own, ...env }, false);
  const log: Readonly<Record<string, unknown>>[] = [];
  const running = await startApi(config, loggerInto(log), options);
  const redis = new Redis(REDIS_URL, { lazyConnect: true });
  return {
    url: running.url,
    adminUrl: running.adminUrl,
    http: supertest(running.url),
    log,
    countKeys: () => countKeys(redis, config.keyPrefix),
    spoil: async (jobId) => {
      const ulid = jobId.slice(jobId.lastIndexOf('_') + 1);
      for (const key of await redis.keys(`${config.keyPrefix}*job:${ulid}`)) await redis.set(key, 'no record');
    },
    close: async (signal) => {
      redis.disconnect();
      await running.close(signal);
      await rm(folder, { recursive: true });
    },
  };
}

function loggerInto(lines: Readonly<Record<string, unknown>>[]): Logger {
  return createLogger(
    { app: 'api', level: 'debug', format: 'json' },
    { write: (line) => lines.push(JSON.parse(line) as Readonly<Record<string, unknown>>) },
  );
}

async function countKeys(redis: Redis, keyPrefix: string): Promise<number> {
  let count = 0;
  for await (const keys of redis.scanStream({ match: `${keyPrefix}*`, count: 1_000 }))
    count += (keys as readonly string[]).length;
  return count;
}
