import { parseRedisUrl } from './redis-url.js';

const open = { tls: false, username: undefined, password: undefined };

describe('parseRedisUrl', () => {
  it('reads a plain address with its defaults', () => {
    expect(parseRedisUrl('redis://localhost')).toEqual({
      kind: 'standalone',
      ...open,
      node: { host: 'localhost', port: 6379 },
      db: 0,
    });
  });

  it('reads TLS, an ACL user, a percent-encoded password, a port and a database', () => {
    expect(parseRedisUrl('rediss://app:p%40ss@cache.example:6380/3')).toEqual({
      kind: 'standalone',
      tls: true,
      username: 'app',
      password: 'p@ss',
      node: { host: 'cache.example', port: 6380 },
      db: 3,
    });
  });

  it('reads a password without a user, and an IPv6 host', () => {
    expect(parseRedisUrl('redis://:secret@[::1]:7000')).toMatchObject({
      username: undefined,
      password: 'secret',
      node: { host: '::1', port: 7000 },
    });
  });

  it('reads Sentinel with a master name and a database', () => {
    expect(parseRedisUrl('redis+sentinel://h1,h2:26380/main/2')).toEqual({
      kind: 'sentinel',
      ...open,
      sentinels: [
        { host: 'h1', port: 26379 },
        { host: 'h2', port: 26380 },
      ],
      name: 'main',
      db: 2,
    });
  });

  it.each(['redis://h1:7000,h2:7001', 'redis://h1:7000, redis://h2:7001'])('reads the comma list %s as a Cluster', (text) => {
    expect(parseRedisUrl(text)).toMatchObject({
      kind: 'cluster',
      nodes: [
        { host: 'h1', port: 7000 },
        { host: 'h2', port: 7001 },
      ],
    });
  });

  it.each([
    '',
    'localhost:6379',
    'http://localhost',
    'redis://',
    'redis://h:0',
    'redis://h:99999',
    'redis://h/x',
    'redis+sentinel://h1',
    'redis://a,b/1',
    'redis://%E0%A4%A@h',
    'redis://a,rediss://b',
    'rediss://a:1,redis://b:2',
  ])('refuses %j without repeating it', (text) => {
    expect(() => parseRedisUrl(text)).toThrow(TypeError);
    expect(() => parseRedisUrl('redis://user:hunter2@:::')).not.toThrow(/hunter2/);
  });

  it.each(['redis://127.0.0.1:6379?foo=1', 'redis://user:secret@h/0?family=6', 'redis+sentinel://h1,h2/main#x'])(
    'says of %s that it takes no query and no fragment',
    (text) => {
      expect(() => parseRedisUrl(text)).toThrow(/^has a query or fragment \(after \? or #\), and takes none; write /);
    },
  );
});
