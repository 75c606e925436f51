import { parseDatabaseUrl } from './database-url.js';

describe('parseDatabaseUrl', () => {
  it.each([
    ['sqlite:.data/antrean.db', '.data/antrean.db'],
    ['sqlite:antrean.db', 'antrean.db'],
    ['sqlite:/var/lib/antrean.db', '/var/lib/antrean.db'],
    ['sqlite:///var/lib/antrean.db', '/var/lib/antrean.db'],
    ['sqlite:a b/çà.db', 'a b/çà.db'],
  ])('reads %s as a file', (text, file) => {
    expect(parseDatabaseUrl(text)).toEqual({ kind: 'sqlite', file });
  });

  it.each([
    'postgres://shop:secret@db.example:5432/shop',
    'postgresql://shop@db.example/shop?sslmode=verify-full',
    'postgres://[::1]:5433/shop',
    'postgres:///shop?host=/var/run/postgresql',
  ])('takes %s as it is', (text) => {
    expect(parseDatabaseUrl(text)).toEqual({ kind: 'postgres', url: text });
  });

  it.each([
    ['mysql://shop:secret@db/shop', 'is no address of a database; write sqlite:.data/antrean.db'],
    ['.data/secret.db', 'is no address of a database'],
    ['sqlite:', 'names no file; write sqlite:.data/antrean.db'],
    ['sqlite:secret/', 'names no file'],
    ['sqlite://secret/shop.db', 'names a host'],
    ['sqlite::memory:', 'names the memory of one process'],
    ['sqlite:secret.db?mode=ro', 'has a query or fragment'],
    ['postgres://shop:secret@:5432/shop', 'cannot be read'],
    ['postgres://shop:sec/ret@db/shop', 'cannot be read'],
    ['postgres:///secret', 'names no host'],
    ['postgres://shop:secret@one,two/shop', 'names several hosts'],
    ['postgres://shop:secret@db/shop?port=abc', 'has a port in its query that is none'],
    ['postgres://shop:secret@db/shop?port=65536', 'has a port in its query that is none'],
    ['postgres://shop:secret@db', 'names no database'],
    ['postgres://shop:secret@db/', 'names no database'],
    ['postgres://shop:secret@db/shop/more', 'names no database'],
  ])('says what is wrong with %s, and shows none of it', (text, fault) => {
    const read = () => parseDatabaseUrl(text);
    expect(read).toThrow(TypeError);
    expect(read).toThrow(fault);
    expect(read).not.toThrow(/secret/);
  });
});
