import { mastersOf, type RedisMaster } from '@antrean/platform';
import type { Link } from './link.js';

/** What a Redis server says of itself, as far as jobs depend on it. */
export interface ServerFacts {
  readonly host: string;
  readonly port: number;
  /** Such as `7.0.15`. Valkey tells the version of Redis that it is like. */
  readonly version: string;
  readonly maxmemoryPolicy: string;
  /** It writes an append-only file or snapshots, as far as it tells. */
  readonly persistent: boolean;
  /** That are connected. */
  readonly replicas: number;
}

/** Asks each server that takes writes, and rejects when one does not answer. By INFO, as managed ones allow no CONFIG. */
export async function serverFacts(link: Link): Promise<readonly ServerFacts[]> {
  return Promise.all((await mastersOf(link.redis)).map(factsOf));
}

/** How many replicas are connected to each server that takes writes. */
export async function replicaCounts(link: Link): Promise<readonly number[]> {
  return Promise.all(
    (await mastersOf(link.redis)).map(async ({ connection }) => replicasIn(parseInfo(await connection.info('replication')))),
  );
}

async function factsOf({ connection, host, port }: RedisMaster): Promise<ServerFacts> {
  const info = parseInfo(await connection.info());
  return {
    host,
    port,
    version: info.get('redis_version') ?? '',
    maxmemoryPolicy: info.get('maxmemory_policy') ?? '',
    persistent: tellsOfPersistence(info) || (await savesByItself(connection)),
    replicas: replicasIn(info),
  };
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
