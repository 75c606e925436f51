import { once } from 'node:events';
import { closeRedis, connectRedis, createLogger, waitUntilReady, type RedisConnection } from '@antrean/platform';
import { eventually } from '../support/eventually.js';
import { silentLogger } from '../support/jobs-app.js';
import { TestRedis } from '../support/test-redis.js';

/** All subscribers of the server are cut off, so this file has one of its own. */
describe('a connection to Redis', () => {
  let server: TestRedis;
  let subscriber: RedisConnection;
  let other: RedisConnection;

  beforeAll(async () => {
    server = await TestRedis.start();
    [subscriber, other] = [open('subscriber'), open('other')];
    expect(await Promise.all([waitUntilReady(subscriber, 10_000), waitUntilReady(other, 10_000)])).toEqual([true, true]);
  });

  afterAll(async () => {
    [subscriber, other].forEach(closeRedis);
    await server.stop();
  });

  const open = (name: string) => connectRedis(server.url, { name, logger: silentLogger });

  // The client would do so unasked: a failure of that, which nobody handles, ends the process.
  it('that was lost leaves it to its owner to subscribe again', async () => {
    await subscriber.ssubscribe('news');
    const back = once(subscriber, 'ready');
    await other.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
    await back;
    await subscriber.ping();
    expect(await other.call('PUBSUB', 'SHARDCHANNELS')).toEqual([]);
  });

  // As happens when Sentinels announce a failover just while one of them is asked where the master is.
  it('comes back though the client gave it up', async () => {
    const connection = open('given up');
    (connection as unknown as { connector: { disconnect(): void } }).connector.disconnect();
    expect(connection.status).toBe('connecting');
    expect(await waitUntilReady(connection, 10_000)).toBe(true);
    closeRedis(connection);
  });

  it('that is given up for a READONLY is not ready before there is a new one', async () => {
    const connection = open('misled');
    expect(await waitUntilReady(connection, 10_000)).toBe(true);
    await other.call('REPLICAOF', '127.0.0.1', 1);
    await expect(connection.set('any', 1)).rejects.toThrow('READONLY');
    expect(await waitUntilReady(connection, 10_000)).toBe(true);
    expect(await connection.ping()).toBe('PONG');
    await other.call('REPLICAOF', 'NO', 'ONE');
    closeRedis(connection);
  });

  it('stays closed when its owner closed it', async () => {
    const connection = open('closed');
    closeRedis(connection);
    expect(await waitUntilReady(connection, 300)).toBe(false);
  });

  it.each([
    ['a Redis that is no Cluster', '', 'cluster support disabled', 'name one host'],
    ['a password that is wrong', 'nobody:wrong@', 'WRONGPASS', undefined],
  ])('as of a Cluster says in the log why it fails: %s', async (_name, login, cause, hint) => {
    const lines: unknown[] = [];
    const logger = createLogger({ app: 'api', level: 'info', format: 'json' }, { write: (line) => lines.push(JSON.parse(line)) });
    const hosts = `127.0.0.1:${server.port},localhost:${server.port}`;
    const connection = connectRedis(`redis://${login}${hosts}`, { name: 'misled', logger });
    await eventually(() => {
      expect(lines).toHaveLength(1);
    });
    closeRedis(connection);
    expect(lines[0]).toMatchObject({ msg: 'redis is away', cause: expect.stringContaining(cause) as string });
    if (hint === undefined) expect(lines[0]).not.toHaveProperty('hint');
    else expect(lines[0]).toHaveProperty('hint', expect.stringContaining(hint));
  });
});
