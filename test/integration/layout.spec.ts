import { JobHandler, defineJob, unchecked, type Handles } from '@antrean/jobs';
import { connectRedis } from '@antrean/platform';
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
});
