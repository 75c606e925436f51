import { setTimeout as sleep } from 'node:timers/promises';
import { JobHandler, WorkerHealth, defineJob, unchecked, type Handles } from '@antrean/jobs';
import { closeRedis, connectRedis } from '@antrean/platform';
import { Redis } from 'ioredis';
import { Link } from '@antrean/jobs/testing';
import { BootCheck } from '../../libs/jobs/src/services/boot-check.js';
import { eventually } from '../support/eventually.js';
import { startTestApi } from '../support/api-app.js';
import { startJobsApp } from '../support/jobs-app.js';
import { REDIS_URL, newKeyPrefix, silentLogger } from '../support/shared-redis.js';
import { TestRedis } from '../support/test-redis.js';

/** The boot waits no longer for a Redis that is away. */
const PAST_THE_BOOT_MS = 1_500;

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
    expect(await first.link.redis.get(first.link.keys(Any.type).layout)).toBe('1');
    const second = await startJobsApp([Any], [AnyHandler], { keyPrefix });
    await Promise.all([first.close(), second.close()]);
  });

  it('of a layout that is not known keep the application from starting, with the way out', async () => {
    const keyPrefix = newKeyPrefix();
    const redis = connectRedis(REDIS_URL, { name: 'antrean-test', logger: silentLogger });
    await new Promise((resolve) => redis.once('ready', resolve));
    const { layout } = new Link(redis, keyPrefix).keys(Any.type);
    await redis.set(layout, '2');
    await expect(startJobsApp([Any], [AnyHandler], { keyPrefix })).rejects.toMatchObject({
      code: 'layout_mismatch',
      message:
        `The keys under "${keyPrefix}" are in layout 2, which this version does not know: a newer version works on them. ` +
        'Start that version, or give this one a KEY_PREFIX of its own.',
    });
    expect(await redis.get(layout)).toBe('2');
    closeRedis(redis);
  });

  it('are looked at again on the next connection when they cannot be read on the first', async () => {
    const options = { definitions: [Any], redisUrl: REDIS_URL, keyPrefix: newKeyPrefix(), logger: silentLogger };
    const redis = connectRedis(REDIS_URL, { name: 'antrean-test', logger: silentLogger }) as Redis; // The address is of a single one.
    await new Promise((resolve) => redis.once('ready', resolve));
    const ended = new Promise((resolve) => redis.once('close', resolve));
    closeRedis(redis);
    await ended;
    const link = new Link(redis, options.keyPrefix);
    await new BootCheck(link, link, options).onModuleInit();
    const looked = new Promise<void>((resolve) => {
      redis.get = () => {
        Reflect.deleteProperty(redis, 'get');
        resolve();
        return Promise.reject(new Error('WRONGTYPE'));
      };
    });
    await redis.connect();
    await looked;
    await redis.set(link.keys(Any.type).layout, '2');
    redis.disconnect(true);
    await eventually(() => {
      expect(redis.status).toBe('end');
    });
  });
});

describe('a Redis', () => {
  const evicting = ['--maxmemory', '100mb', '--maxmemory-policy', 'allkeys-lru'];
  let server: TestRedis;

  beforeAll(async () => {
    server = await TestRedis.start(evicting);
  });

  afterAll(async () => {
    await server.stop();
  });

  const mend = (port: number) => `redis-cli -h 127.0.0.1 -p ${port} CONFIG SET maxmemory-policy noeviction`;

  it('that evicts keeps the application from starting, with the command that mends it', async () => {
    const message = expect.stringMatching(`"allkeys-lru".*${mend(server.port)} `) as string;
    await expect(startJobsApp([Any], [AnyHandler], { redisUrl: server.url })).rejects.toMatchObject({
      code: 'unfit_redis',
      message,
    });
  });

  // The client would go on with database 0, and with the jobs of whoever is there.
  it('that has no such database as the address names keeps the application from starting', async () => {
    const url = new URL(REDIS_URL);
    url.pathname = '/9999';
    await expect(startJobsApp([Any], [AnyHandler], { redisUrl: url.href })).rejects.toMatchObject({
      code: 'unfit_redis',
      message: expect.stringMatching(/refuses database 9999, which REDIS_URL names: .*out of range/) as string,
    });
  });

  const mail = { type: 'email.send', payload: { to: 'budi@example.com', template: 'welcome' } };

  it('that evicts and comes after the api has started gets no jobs, not even those that waited for it', async () => {
    await server.kill();
    const api = await startTestApi({ REDIS_URL: server.url });
    const statuses: number[] = [];
    let isRefused = false;
    const submits = Promise.all(
      Array.from({ length: 10 }, async () => {
        while (!isRefused) statuses.push((await api.http.post('/jobs').send(mail)).status);
      }),
    );
    await server.restart(evicting);
    const reason = expect.stringContaining(mend(server.port)) as string;
    await eventually(() => {
      expect(api.log).toContainEqual(expect.objectContaining({ level: 'fatal', reason }));
    });
    isRefused = true;
    await submits;
    expect(new Set(statuses)).toEqual(new Set([503]));
    expect((await api.http.post('/jobs').send(mail)).status).toBe(503);
    const why = { code: 'not_ready', error: expect.stringContaining('cannot work on its Redis') as string };
    expect((await api.http.get('/health/ready')).body).toMatchObject(why);
    expect((await api.http.get('/health')).status).toBe(503);
    await api.close();
  });

  it('that evicts and comes after the worker has started is not worked on', async () => {
    await server.restart();
    const keyPrefix = newKeyPrefix();
    const fit = { redisUrl: server.url, keyPrefix };
    const submitter = await startJobsApp([Any], [], fit);
    const { jobId } = await submitter.queue.enqueue(Any, {});
    await submitter.close();
    await server.kill();
    const starting = startJobsApp([Any], [AnyHandler], fit);
    await sleep(PAST_THE_BOOT_MS);
    await server.restart(evicting);
    const worker = await starting;
    await eventually(() => {
      expect(worker.app.get(WorkerHealth).heldBy).toContain('cannot work on its Redis');
    });
    expect(worker.app.get(WorkerHealth).ready()).toBe(false);
    await worker.close();
    await server.restart();
    const reader = await startJobsApp([Any], [], fit);
    expect(await reader.status.get(jobId)).toMatchObject({ status: 'queued', runs: [] });
    await reader.close();
  });

  it.each([
    [['--appendonly', 'no'], true],
    [['--appendonly', 'no', '--rename-command', 'CONFIG', ''], true],
    [['--appendonly', 'no', '--save', '3600 1'], false],
    [['--appendonly', 'yes'], false],
  ])('started with %j is warned of, for it keeps nothing: %s', async (settings, warned) => {
    await server.restart(settings);
    const api = await startTestApi({ REDIS_URL: server.url });
    const warnings = api.log.filter(({ level, servers }) => level === 'warn' && servers !== undefined);
    expect(warnings).toEqual(warned ? [expect.objectContaining({ servers: [`127.0.0.1:${server.port}`] })] : []);
    await api.close();
  });

  it('that takes no writes for now is no reason not to start, and is worked on once it can be checked', async () => {
    await server.restart(['--maxmemory', '1']);
    const api = await startTestApi({ REDIS_URL: server.url });
    expect((await api.http.get('/health/ready')).status).toBe(200);
    const detail = expect.stringContaining('work waits') as string;
    expect((await api.http.get('/health')).body).toMatchObject({ error: { redis: { ping: true, write: false, detail } } });
    const redis = new Redis({ port: server.port });
    await redis.config('SET', 'maxmemory', '0');
    redis.disconnect();
    await eventually(async () => {
      expect((await api.http.post('/jobs').send(mail)).status).toBe(202);
    });
    expect((await api.http.get('/health')).status).toBe(200);
    await api.close();
  });
});
