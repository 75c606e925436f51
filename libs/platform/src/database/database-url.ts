/** Where the database is. */
export type DatabaseTarget =
  /** `file` may be relative to the working directory. */
  { readonly kind: 'sqlite'; readonly file: string } | { readonly kind: 'postgres'; readonly url: string };

const FORMS = 'sqlite:.data/antrean.db, sqlite:/absolute/path.db or postgres://user:password@host:5432/database';

/**
 * Reads a `DATABASE_URL`.
 * @throws {TypeError} that says what to write; the message never repeats the text, which may hold a password.
 */
export function parseDatabaseUrl(text: string): DatabaseTarget {
  const [, scheme = '', rest = ''] = /^([a-z][a-z0-9+]*):(.*)$/s.exec(text.trim()) ?? [];
  switch (scheme) {
    case 'sqlite':
      return { kind: 'sqlite', file: parseFile(rest) };
    case 'postgres':
    case 'postgresql':
      return { kind: 'postgres', url: checkedPostgres(`${scheme}:${rest}`) };
    default:
      throw new TypeError(`is no address of a database; write ${FORMS}.`);
  }
}

function parseFile(rest: string): string {
  // sqlite:///path has an empty host before its path.
  const file = rest.startsWith('///') ? rest.slice(2) : rest;
  if (file.startsWith('//'))
    throw new TypeError('names a host, and a file has none; write sqlite:folder/file.db or sqlite:/folder/file.db.');
  if (file === ':memory:')
    throw new TypeError('names the memory of one process, and two share the database; write sqlite:.data/antrean.db.');
  if (file === '' || file.endsWith('/')) throw new TypeError('names no file; write sqlite:.data/antrean.db.');
  if (/[?#]/.test(file))
    throw new TypeError('has a query or fragment (? or #), and the path of a file takes none; write sqlite:.data/antrean.db.');
  return file;
}

function checkedPostgres(text: string): string {
  if (!URL.canParse(text)) {
    throw new TypeError(
      'cannot be read; percent-encode special characters of user and password: postgres://user:p%40ss@host:5432/database.',
    );
  }
  const { hostname, pathname, searchParams } = new URL(text);
  // A folder with a Unix socket stands in the query.
  if (hostname === '' && !searchParams.has('host'))
    throw new TypeError(`names no host; write postgres://user:password@host:5432/database.`);
  const port = searchParams.get('port') ?? '5432';
  if (!/^\d+$/.test(port) || Number(port) > 65_535)
    throw new TypeError(
      'has a port in its query that is none; write it behind the host: postgres://user:password@host:5432/database.',
    );
  if (hostname.includes(','))
    throw new TypeError('names several hosts; write the one that takes writes: postgres://user:password@host:5432/database.');
  if (!/^\/[^/]+$/.test(pathname))
    throw new TypeError('names no database; write it last: postgres://user:password@host:5432/database.');
  return text;
}
