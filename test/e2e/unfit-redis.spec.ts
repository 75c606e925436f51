import { BuiltProcess } from '../support/built-process.js';
import { newKeyPrefix } from '../support/shared-redis.js';
import { TestRedis } from '../support/test-redis.js';

jest.setTimeout(60_000);

describe('on a Redis that evicts', () => {
  let redis: TestRedis;

  beforeAll(async () => {
    redis = await TestRedis.start(['--maxmemory-policy', 'volatile-lru']);
  });

  afterAll(async () => {
    await redis.stop();
  });

  it.each(['api', 'worker'] as const)('the %s exits with 1 and names the command that mends it, in one line', async (app) => {
    const port = app === 'api' ? 'PORT' : 'WORKER_PORT';
    const started = await BuiltProcess.start(app, { REDIS_URL: redis.url, KEY_PREFIX: newKeyPrefix(), [port]: '0' });
    expect(await started.exit()).toEqual({ code: 1, signal: null });
    expect(started.log).toEqual([
      expect.objectContaining({
        level: 'fatal',
        msg: `the ${app} cannot start`,
        reason: expect.stringContaining(
          `redis-cli -h 127.0.0.1 -p ${redis.port} CONFIG SET maxmemory-policy noeviction`,
        ) as string,
      }),
    ]);
    await started.dispose();
  });
});
