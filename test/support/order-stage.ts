import type { Database } from '@antrean/shop';
import { builtApps, type BuiltApps } from './built-apps.js';
import { OrderShop } from './order-shop.js';
import { newKeyPrefix } from './shared-redis.js';
import { testDatabases, type DatabaseKind } from './shop-database.js';
import { TestRedis } from './test-redis.js';

type Env = Readonly<Record<string, string>>;

/** The built apps on a Redis and a database of a describe block's own, with a shop whose effects are counted; they end with it. */
export interface OrderStage {
  readonly apis: BuiltApps;
  readonly workers: BuiltApps;
  readonly redis: TestRedis;
  readonly database: Database;
  readonly shop: OrderShop;
  /** Where Redis and the database are, for both apps. */
  readonly env: Env;
}

/**
 * @param shared what both apps are started with besides
 * @param ofWorkers what workers are started with besides
 */
export function orderStage(kind: DatabaseKind, shared: Env, ofWorkers: Env = {}): OrderStage {
  const databases = testDatabases(kind);
  const named = { KEY_PREFIX: newKeyPrefix(), ...shared };
  const apis = builtApps('api', { ...named, PORT: '0' });
  const workers = builtApps('worker', { ...named, WORKER_PORT: '0', ...ofWorkers });
  let redis: TestRedis | undefined;
  let built: Pick<OrderStage, 'redis' | 'database' | 'shop' | 'env'> | undefined;

  beforeAll(async () => {
    redis = await TestRedis.start();
    const { url, database } = await databases.migrated();
    built = { redis, database, shop: await OrderShop.open(database), env: { REDIS_URL: redis.url, DATABASE_URL: url } };
  });

  afterAll(async () => {
    await Promise.all([redis?.stop(), built?.shop.close()]);
  });

  const ready = () => {
    if (built === undefined) throw new Error('The stage is there from the first test on.');
    return built;
  };
  return {
    apis,
    workers,
    get redis() {
      return ready().redis;
    },
    get database() {
      return ready().database;
    },
    get shop() {
      return ready().shop;
    },
    get env() {
      return ready().env;
    },
  };
}
