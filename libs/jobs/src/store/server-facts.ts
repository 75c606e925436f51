import { mastersOf, type RedisMaster } from '@antrean/platform';
import { isRedisAway, isRedisRefusal } from './availability.js';
import type { Link } from './link.js';

/** What a Redis server says of itself, as far as jobs depend on it. */
export interface ServerFacts {
  /** By which the connection knows it. */
  readonly address: string;
  readonly host: string;
  readonly port: number;
  /** Such as `7.0.15`. Valkey tells the version of Redis that it is like. */
  readonly version: string;
  readonly maxmemoryPolicy: string;
  /** It writes an append-only file or snapshots, as far as it tells. */
  readonly persistent: boolean;
  /** That are connected. */
  readonly replicas: number;
  /** The database of the address, where the server does not let it be used. The client would go on with another. */
  readonly refusedDatabase?: { readonly number: number; readonly reason: string };
}

/** The servers that take writes. */
export interface Servers {
  readonly facts: readonly ServerFacts[];
  /** Addresses of those that do not answer. */
  readonly away: readonly string[];
}

/**
 * Asks each server that takes writes, by INFO, as managed ones allow no CONFIG.
 * @throws when none answers, or one says no.
 */
export async function serverFacts(link: Link): Promise<Servers> {
  const { masters, away } = await mastersOf(link.redis);
  const asked = await Promise.allSettled(masters.map(factsOf));
  const silent: string[] = [];
  const facts = asked.flatMap((answer, nth) => {
    if (answer.status === 'fulfilled') return [answer.value];
    if (masters.length === 1 || !isRedisAway(answer.reason)) throw answer.reason;
    silent.push(masters[nth]?.address ?? '');
    return [];
  });
  const missing = [...away, ...silent];
  if (facts.length === 0) throw new ServersAwayError(missing);
  return { facts, away: missing };
}

/** Servers that each serve a part of a Cluster cannot be asked. */
export class ServersAwayError extends Error {
  override readonly name = 'ServersAwayError';

  constructor(addresses: readonly string[]) {
    super(`Of the servers of the Cluster these do not answer: ${addresses.join(', ')}.`);
  }
}

/** How many replicas are connected to each server that takes writes; rejects when one does not answer. */
export async function replicaCounts(link: Link): Promise<readonly number[]> {
  const { masters, away } = await mastersOf(link.redis);
  if (away.length > 0) throw new ServersAwayError(away);
  return Promise.all(masters.map(async ({ connection }) => replicasIn(parseInfo(await connection.info('replication')))));
}

async function factsOf({ connection, address, host, port }: RedisMaster): Promise<ServerFacts> {
  const info = parseInfo(await connection.info());
  return {
    address,
    host,
    port,
    version: info.get('redis_version') ?? '',
    maxmemoryPolicy: info.get('maxmemory_policy') ?? '',
    persistent: tellsOfPersistence(info) || (await savesByItself(connection)),
    replicas: replicasIn(info),
    ...(await databaseFacts(connection)),
  };
}

async function databaseFacts(connection: RedisMaster['connection']): Promise<Pick<ServerFacts, 'refusedDatabase'>> {
  const { db = 0 } = connection.options;
  if (db === 0) return {};
  try {
    await connection.select(db);
    return {};
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'ReplyError' || isRedisRefusal(error)) throw error;
    return { refusedDatabase: { number: db, reason: error.message } };
  }
}

/** Whether it writes an append-only file, or has made a snapshot since it started. What it does not tell is no yes. */
export function tellsOfPersistence(info: ReadonlyMap<string, string>): boolean {
  return info.get('aof_enabled') === '1' || (info.get('rdb_saves') ?? '0') !== '0';
}

/** Whether snapshots are planned is all that INFO does not tell. Who may not ask learns of them when the first was made. */
async function savesByItself(connection: RedisMaster['connection']): Promise<boolean> {
  try {
    const [, times = ''] = (await connection.config('GET', 'save')) as readonly string[];
    return times !== '';
  } catch {
    return false;
  }
}

function replicasIn(info: ReadonlyMap<string, string>): number {
  return Number(info.get('connected_slaves') ?? 0);
}

/** The fields of an answer to INFO. */
function parseInfo(text: string): ReadonlyMap<string, string> {
  const fields = text.split('\r\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)] as const);
  return new Map(fields);
}
