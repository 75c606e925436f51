import { Cluster, Redis, type RedisOptions } from 'ioredis';
import type { Logger } from 'pino';
import { Waiters } from '../waiters.js';
import { addressOf } from './address-of.js';
import { PromptCluster } from './prompt-cluster.js';
import { parseRedisUrl, type RedisTarget } from './redis-url.js';

/** A connection to Redis, whatever way it is run. */
export type RedisConnection = Redis | Cluster;

export interface ConnectOptions {
  /** Shown by `CLIENT LIST`, and on every log line about the connection. */
  readonly name: string;
  readonly logger: Logger;
  /** A command without an answer after this long is rejected; it may still have been carried out. Default 5,000. */
  readonly commandTimeoutMs?: number;
}

/**
 * Opens a connection that stays for good: it reconnects for ever, sends no command twice by itself, keeps none in memory
 * while Redis is away (they are rejected at once), and logs when Redis goes and comes back. Who subscribes does so again
 * whenever it is `ready`. In a Cluster a command waits for its node as long as one may take; each node that goes and comes back is
 * logged by itself.
 * @throws {TypeError} when the address cannot be read.
 */
export function connectRedis(url: string, { name, logger, commandTimeoutMs = 5_000 }: ConnectOptions): RedisConnection {
  const connection = open(parseRedisUrl(url), name, commandTimeoutMs);
  const log = logger.child({ connection: name });
  tellOfOutages(connection, log, new Set(), '');
  if (connection instanceof Cluster) {
    const away = new Set<string>();
    connection.on('+node', (node: Redis) => {
      const server = addressOf(node);
      tellOfOutages(node, log.child({ server }), away, server);
    });
  }
  connection.on('end', () => {
    if (closed.has(connection)) return;
    // The client gives up for good when a failover is announced while it is just asking where the master is.
    setTimeout(() => {
      // A failure is an `error` of the connection, which is logged, and another `end`.
      if (!closed.has(connection)) connection.connect().catch(() => undefined);
    }, reconnectDelayMs(1));
  });
  return connection;
}

/** @param away those that were told to be; a node of a Cluster has a new connection each time that it is tried. */
function tellOfOutages(connection: RedisConnection, log: Logger, away: Set<string>, name: string): void {
  connection.on('error', (error: Error) => {
    // Of a Cluster all of whose nodes failed; any other is that of one node to which somebody subscribes.
    if (connection instanceof Cluster && !('lastNodeError' in error)) return;
    if (!away.has(name)) log.warn(whyAway(error), 'redis is away');
    away.add(name);
  });
  connection.on('ready', () => {
    if (away.delete(name)) log.info('redis is back');
  });
}

const closed = new WeakSet<RedisConnection>();

/** Resolves true as soon as the connection can take commands, false when `timeoutMs` is over first. */
export async function waitUntilReady(connection: RedisConnection, timeoutMs: number): Promise<boolean> {
  return takesCommands(connection) || waitersOf(connection).within(timeoutMs);
}

/** A connection that is being given up, for READONLY or by the server, still calls itself ready for some turns. */
function takesCommands(connection: RedisConnection): boolean {
  return connection.status === 'ready' && (connection instanceof Cluster || connection.stream.writable);
}

const waitersOfConnections = new WeakMap<RedisConnection, Waiters>();

/** One listener a connection, however many wait: in an outage those are many. */
function waitersOf(connection: RedisConnection): Waiters {
  let waiters = waitersOfConnections.get(connection);
  if (waiters === undefined) {
    waiters = new Waiters();
    waitersOfConnections.set(connection, waiters);
    connection.on('ready', waiters.release.bind(waiters));
  }
  return waiters;
}

/** Closes the connection without waiting for an answer that may never come. */
export function closeRedis(connection: RedisConnection): void {
  closed.add(connection);
  connection.disconnect();
}

function open(target: RedisTarget, name: string, commandTimeout: number): RedisConnection {
  const shared = {
    connectionName: name,
    commandTimeout,
    // A half-open connection takes commands and never answers: it is given up for a new one.
    socketTimeout: commandTimeout,
    connectTimeout: 2_000,
    keepAlive: 10_000,
    autoResendUnfulfilledCommands: false,
    // Nobody would handle its failure, and a channel that was left during an outage would be back.
    autoResubscribe: false,
    maxRetriesPerRequest: null,
    retryStrategy: reconnectDelayMs,
    // After a failover the old master answers READONLY until the client asks anew where the master is.
    reconnectOnError: (error: Error) => error.message.startsWith('READONLY'),
    ...(target.username === undefined ? {} : { username: target.username }),
    ...(target.password === undefined ? {} : { password: target.password }),
    ...(target.tls ? { tls: {} } : {}),
  } satisfies RedisOptions;
  const direct = { ...shared, enableOfflineQueue: false };
  switch (target.kind) {
    case 'standalone':
      return new Redis({ ...direct, ...target.node, db: target.db });
    case 'sentinel':
      return new Redis({
        ...direct,
        sentinels: [...target.sentinels],
        name: target.name,
        db: target.db,
        sentinelRetryStrategy: reconnectDelayMs,
        // Each of the two must be told: with `tls` alone the client speaks to Sentinels and master in the clear.
        ...(target.tls ? { sentinelTLS: {}, enableTLSForSentinelMode: true } : {}),
        // A planned failover leaves the old master up for ten seconds, taking writes that it will forget.
        failoverDetector: true,
      });
    case 'cluster':
      return new PromptCluster([...target.nodes], {
        // A node is connected to when it is first needed, and its first commands must wait for that, as long as one may take.
        enableOfflineQueue: true,
        redisOptions: shared,
        clusterRetryStrategy: reconnectDelayMs,
        // By default the client looks names up first, and then misses the address in the certificate of the name.
        ...(target.tls ? { dnsLookup: keepName } : {}),
        retryDelayOnFailover: 0,
        shardedSubscribers: true,
      });
  }
}

/** Left to the socket, which looks it up and holds the certificate against it. */
function keepName(host: string, found: (error: null, address: string) => void): void {
  found(null, host);
}

/** What the client of a Cluster says is the same for any trouble: the node that was asked last knows more. */
function whyAway(error: Error & { readonly lastNodeError?: Error | null }): object {
  const cause = error.lastNodeError ? withoutArguments(error.lastNodeError.message) : undefined;
  return {
    reason: withoutArguments(error.message),
    ...(cause !== undefined && { cause }),
    ...(cause?.includes('cluster support disabled') === true && {
      hint: 'REDIS_URL lists several hosts, as of a Cluster, but this Redis is none: name one host, or write redis+sentinel://.',
    }),
  };
}

/** A Redis that does not know AUTH, or has it under another name, repeats the password. */
function withoutArguments(message: string): string {
  return message.replace(/, with args beginning with:.*$/s, '');
}

/** 50 ms, doubling to 1 s, with jitter so that a fleet does not return at the same moment. */
function reconnectDelayMs(times: number): number {
  return Math.min(50 * 2 ** (times - 1), 1_000) * (0.5 + Math.random() / 2);
}
