import type { ServerFacts } from '../store/server-facts.js';

/** The first with scripts that say themselves what they may do, functions of time in scripts, and sharded channels. */
const OLDEST_MAJOR = 7;

/** Why jobs are not to be given to these servers, one text a fault, each with the way out; empty when they are fit. */
export function serverFaults(servers: readonly ServerFacts[]): readonly string[] {
  return servers.flatMap((server) => [...versionFaults(server), ...evictionFaults(server), ...databaseFaults(server)]);
}

function versionFaults({ host, port, version }: ServerFacts): readonly string[] {
  if (Number(version.split('.')[0]) >= OLDEST_MAJOR) return [];
  return [`Redis at ${host}:${port} has version ${version || '(it tells none)'}; ${OLDEST_MAJOR} or newer is needed.`];
}

function evictionFaults({ host, port, maxmemoryPolicy }: ServerFacts): readonly string[] {
  if (maxmemoryPolicy === 'noeviction') return [];
  return [
    `Redis at ${host}:${port} has the maxmemory-policy "${maxmemoryPolicy}" and would throw jobs away when its memory is full. ` +
      `Mend it with: redis-cli -h ${host} -p ${port} CONFIG SET maxmemory-policy noeviction ` +
      '(and write it into redis.conf, or into the parameters of a managed Redis).',
  ];
}

function databaseFaults({ host, port, refusedDatabase }: ServerFacts): readonly string[] {
  if (refusedDatabase === undefined) return [];
  const { number, reason } = refusedDatabase;
  return [
    `Redis at ${host}:${port} refuses database ${number}, which REDIS_URL names: ${reason}. ` +
      'Name one that it has (0 to 15, unless its configuration says otherwise), or none: KEY_PREFIX keeps installations apart.',
  ];
}
