/** One Redis server's address. */
export interface RedisNode {
  readonly host: string;
  readonly port: number;
}

interface Credentials {
  readonly tls: boolean;
  readonly username: string | undefined;
  readonly password: string | undefined;
}

/** Where Redis is and how it is run. */
export type RedisTarget =
  | (Credentials & { readonly kind: 'standalone'; readonly node: RedisNode; readonly db: number })
  | (Credentials & {
      readonly kind: 'sentinel';
      readonly sentinels: readonly RedisNode[];
      readonly name: string;
      readonly db: number;
    })
  | (Credentials & { readonly kind: 'cluster'; readonly nodes: readonly RedisNode[] });

const FORMS =
  'redis://host:6379/0, rediss://user:password@host:6380, redis+sentinel://host1:26379,host2:26379/name, or for Cluster a comma list such as redis://host1:7000,host2:7001';

/** `scheme://[user:password@]hosts[/path]`, where `hosts` may be a comma list. */
const SHAPE = /^(redis|rediss|redis\+sentinel|rediss\+sentinel):\/\/(?:([^@]*)@)?([^/@?#]+)(?:\/([^?#]*))?$/;
/** Not what stands before an `@`: that may be a password. */
const QUERY = /[?#][^@]*$/;

/**
 * Reads a `REDIS_URL`.
 * @throws {TypeError} that says which forms there are; the message never repeats the text, which may hold a password.
 */
export function parseRedisUrl(text: string): RedisTarget {
  // A comma list may repeat its scheme before every host; another one is no part of a host, and refused.
  const list = text.trim().replace(/(?<=^(rediss?:\/\/).*,)\s*\1/g, '');
  const [, scheme, login, hosts, path = ''] = SHAPE.exec(list) ?? [];
  if (scheme === undefined || hosts === undefined) {
    const fault = SHAPE.test(list.replace(QUERY, ''))
      ? 'has a query or fragment (after ? or #), and takes none'
      : 'is no Redis address';
    throw new TypeError(`${fault}; write ${FORMS}.`);
  }
  const credentials = { tls: scheme.startsWith('rediss'), ...parseLogin(login) };
  if (scheme.endsWith('sentinel')) {
    const [name, db] = path.split('/');
    if (!name) throw new TypeError('names no master: write redis+sentinel://host1,host2/name.');
    return { kind: 'sentinel', ...credentials, sentinels: parseNodes(hosts, 26_379), name, db: parseDb(db) };
  }
  const nodes = parseNodes(hosts, 6_379);
  const [first] = nodes;
  if (first === undefined || nodes.length > 1) {
    if (parseDb(path) !== 0) throw new TypeError('names a database; Redis Cluster has only database 0.');
    return { kind: 'cluster', ...credentials, nodes };
  }
  return { kind: 'standalone', ...credentials, node: first, db: parseDb(path) };
}

function parseLogin(login: string | undefined): Pick<Credentials, 'username' | 'password'> {
  if (login === undefined) return { username: undefined, password: undefined };
  const split = login.indexOf(':');
  const username = split < 0 ? login : login.slice(0, split);
  const password = split < 0 ? '' : login.slice(split + 1);
  return { username: decode(username) || undefined, password: decode(password) || undefined };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new TypeError('has a user name or password that is not percent-encoded rightly.');
  }
}

function parseNodes(hosts: string, defaultPort: number): readonly RedisNode[] {
  return hosts.split(',').map((entry) => {
    const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:[\]]+))(?::(\d{1,5}))?$/.exec(entry.trim()) ?? [];
    const host = bracketed ?? plain;
    const number = port === undefined ? defaultPort : Number(port);
    if (host === undefined || number < 1 || number > 65_535)
      throw new TypeError(`has a host that cannot be read; write ${FORMS}.`);
    return { host, port: number };
  });
}

function parseDb(text: string | undefined): number {
  if (!text) return 0;
  if (!/^\d{1,4}$/.test(text)) throw new TypeError('has a database that is not a number, such as redis://host:6379/0.');
  return Number(text);
}
