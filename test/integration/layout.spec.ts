import { JobHandler, defineJob, unchecked, type Handles } from '@antrean/jobs';
import { connectRedis } from '@antrean/platform';
import type { Redis } from 'ioredis';
import { Link } from '@antrean/jobs/testing';
import { LayoutCheck } from '../../libs/jobs/src/services/layout-check.js';
import { eventually } from '../support/eventually.js';
import { REDIS_URL, newKeyPrefix, silentLogger, startJobsApp } from '../support/jobs-app.js';

const Any = defineJob('any.run', { payload: unchecked<object>() });

@JobHandler(Any)
class AnyHandler implements Handles<typeof Any> {
  handle(): void {
    // Nothing is submitted.
  }
}

describe('keys in Redis', () => {
  it('say which layout they are in, and serve all versions of it', async () => {
    const keyPrefix = newKeyPrefix();
    const first = await startJobsApp([Any], [AnyHandler], { keyPrefix });
    expect(await first.link.redis.get(`${keyPrefix}:layout`)).toBe('1');
    const second = await startJobsApp([Any], [AnyHandler], { keyPrefix });
    await Promise.all([first.close(), second.close()]);
  });

  it('of a layout that is not known keep the application from starting, with the way out', async () => {
    const keyPrefix = newKeyPrefix();
    const redis = connectRedis(REDIS_URL, { name: 'antrean-test', logger: silentLogger });
    await new Promise((resolve) => redis.once('ready', resolve));
    await redis.set(`${keyPrefix}:layout`, '2');
    await expect(startJobsApp([Any], [AnyHandler], { keyPrefix })).rejects.toMatchObject({
      code: 'layout_mismatch',
      message:
        `The keys under "${keyPrefix}" are in layout 2, which this version does not know: a newer version works on them. ` +
        'Start that version, or give this one a KEY_PREFIX of its own.',
    });
    expect(await redis.get(`${keyPrefix}:layout`)).toBe('2');
    redis.disconnect();
  });

  it('are looked at again on the next connection when they cannot be read on the first', async () => {
    const options = { definitions: [Any], redisUrl: REDIS_URL, keyPrefix: newKeyPrefix(), logger: silentLogger };
    const redis = connectRedis(REDIS_URL, { name: 'antrean-test', logger: silentLogger }) as Redis; // The address is of a single one.
    await new Promise((resolve) => redis.once('ready', resolve));
    const ended = new Promise((resolve) => redis.once('close', resolve));
    redis.disconnect();
    await ended;
    await new LayoutCheck(new Link(redis, options.keyPrefix), options).onModuleInit();
    const get = redis.get.bind(redis);
    const looked = new Promise<void>((resolve) => {
      redis.get = () => {
        Reflect.deleteProperty(redis, 'get');
        resolve();
        return Promise.reject(new Error('WRONGTYPE'));
      };
    });
    await redis.connect();
    await looked;
    expect(await get(`${options.keyPrefix}:layout`)).toBe('1');
    await redis.set(`${options.keyPrefix}:layout`, '2');
    redis.disconnect(true);
    await eventually(() => {
      expect(redis.status).toBe('end');
    });
  });
});
