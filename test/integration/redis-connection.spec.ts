import { once } from 'node:events';
import { Link } from '@antrean/jobs/testing';
import { closeRedis, connectRedis, createLogger, waitUntilReady, type RedisConnection } from '@antrean/platform';
import { Redis } from 'ioredis';
import { available } from '../../libs/jobs/src/store/availability.js';
import { ReplicaGate } from '../../libs/jobs/src/store/replicated.js';
import { eventually } from '../support/eventually.js';
import { silentLogger } from '../support/shared-redis.js';
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
  /** The client does not know of it yet. */
  const breakOff = (connection: RedisConnection): void => {
    if (!(connection instanceof Redis)) throw new Error('A Cluster has many.');
    connection.stream.destroy();
  };

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

  it('that breaks just before a call is told as one that nothing was written on: it was never sent', async () => {
    const connection = open('broken');
    expect(await waitUntilReady(connection, 10_000)).toBe(true);
    const call = available(new Link(connection, 'test'), () => {
      breakOff(connection);
      return connection.set('any', 1);
    });
    await expect(call).rejects.toMatchObject({ outcome: 'not_written' });
    closeRedis(connection);
  });

  it('that breaks between a write and the look for a replica leaves it open whether that has it', async () => {
    const connection = open('broken');
    expect(await waitUntilReady(connection, 10_000)).toBe(true);
    const link = new Link(connection, 'test');
    const write = async (): Promise<void> => {
      await connection.set('any', 1);
      breakOff(connection);
    };
    const call = available(link, () => new ReplicaGate(link).pass('any.run', write));
    await expect(call).rejects.toMatchObject({ outcome: 'unknown', code: 'not_replicated' });
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

  it.each(['127.0.0.1:PORT', '127.0.0.1:PORT,localhost:PORT'])(
    'does not log the password that a Redis at %s repeats',
    async (hosts) => {
      const repeating = await TestRedis.start(['--rename-command', 'HELLO', '', '--rename-command', 'AUTH', '']);
      const lines: string[] = [];
      const logger = createLogger({ app: 'api', level: 'debug', format: 'json' }, { write: (line) => lines.push(line) });
      const url = `redis://ana:s3cr3t@${hosts.replaceAll('PORT', String(repeating.port))}`;
      const connection = connectRedis(url, { name: 'overheard', logger });
      await eventually(() => {
        expect(lines.join('')).toContain("unknown command 'auth'");
      });
      closeRedis(connection);
      await repeating.stop();
      expect(lines.join('')).not.toContain('s3cr3t');
    },
  );
});
