import { loadApiConfig } from './api-config.js';
import { ConfigError } from './config-error.js';

const HASH = 'ab'.repeat(32);
const KEY = `ci:${HASH}:submit+read`;

function faultsOf(env: NodeJS.ProcessEnv): ReadonlyMap<string, string> {
  try {
    loadApiConfig(env, false);
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
  return new Map();
}

describe('loadApiConfig', () => {
  it('has a default for everything', () => {
    expect(loadApiConfig({}, false)).toEqual({
      redisUrl: 'redis://127.0.0.1:6379',
      keyPrefix: 'antrean',
      databaseUrl: 'sqlite:.data/antrean.db',
      durability: 'local',
      retentionMs: 86_400_000,
      deadRetentionMs: 2_592_000_000,
      host: '127.0.0.1',
      port: 3000,
      adminPort: undefined,
      publicUrl: 'http://127.0.0.1:3000',
      trustProxy: false,
      apiKeys: [],
      maxPayloadBytes: 262_144,
      maxUploadBytes: 1_073_741_824,
      shutdownDelayMs: 0,
      storageUrl: 'file:.data/storage',
      outboundAllow: [],
      webhookSecrets: new Map(),
      analyticsUrl: undefined,
      orderCurrency: 'EUR',
      logLevel: 'info',
      logFormat: 'json',
      production: false,
    });
  });

  it('reads every variable', () => {
    const config = loadApiConfig(
      {
        REDIS_URL: 'rediss://app:secret@cache.example:6380/2',
        KEY_PREFIX: 'shop:blue',
        DATABASE_URL: 'postgres://shop:secret@db.example/shop',
        RETENTION_SEC: '60',
        DEAD_RETENTION_SEC: '120',
        HOST: '::',
        PORT: '8080',
        ADMIN_PORT: '9090',
        PUBLIC_URL: 'https://jobs.example.com/queue/',
        TRUST_PROXY: '1',
        API_KEYS: `${KEY}, ops:${'CD'.repeat(32)}:manage`,
        MAX_PAYLOAD_BYTES: '1024',
        MAX_UPLOAD_BYTES: '2048',
        SHUTDOWN_DELAY_SEC: '7',
        STORAGE_URL: 's3://files/antrean?region=eu-central-1',
        OUTBOUND_ALLOW: 'hooks.internal',
        WEBHOOK_SECRETS: `ops=whsec_${'A'.repeat(32)}`,
        ANALYTICS_URL: 'http://hooks.internal/orders',
        ORDER_CURRENCY: 'IDR',
        LOG_LEVEL: 'debug',
        LOG_FORMAT: 'json',
        NODE_ENV: 'production',
      },
      true,
    );
    expect(config).toEqual({
      redisUrl: 'rediss://app:secret@cache.example:6380/2',
      keyPrefix: 'shop:blue',
      databaseUrl: 'postgres://shop:secret@db.example/shop',
      durability: 'local',
      retentionMs: 60_000,
      deadRetentionMs: 120_000,
      host: '::',
      port: 8080,
      adminPort: 9090,
      publicUrl: 'https://jobs.example.com/queue',
      trustProxy: 1,
      apiKeys: [
        { name: 'ci', sha256: HASH, scopes: ['submit', 'read'] },
        { name: 'ops', sha256: 'cd'.repeat(32), scopes: ['manage'] },
      ],
      maxPayloadBytes: 1024,
      maxUploadBytes: 2048,
      shutdownDelayMs: 7_000,
      storageUrl: 's3://files/antrean?region=eu-central-1',
      outboundAllow: ['hooks.internal'],
      webhookSecrets: new Map([['ops', [Buffer.alloc(24)]]]),
      analyticsUrl: 'http://hooks.internal/orders',
      orderCurrency: 'IDR',
      logLevel: 'debug',
      logFormat: 'json',
      production: true,
    });
  });

  it('takes an empty or blank text as unset', () => {
    expect(loadApiConfig({ PORT: '', API_KEYS: '  ', REDIS_URL: '', ADMIN_PORT: '' }, false)).toEqual(loadApiConfig({}, false));
  });

  it('logs prettily on a terminal unless told otherwise', () => {
    expect(loadApiConfig({}, true).logFormat).toBe('pretty');
    expect(loadApiConfig({ LOG_FORMAT: 'json' }, true).logFormat).toBe('json');
  });

  it('puts an IPv6 host into brackets in its own URL', () => {
    expect(loadApiConfig({ HOST: '::1', PORT: '80' }, false).publicUrl).toBe('http://[::1]:80');
  });

  it('names every wrong variable in one message, with what is expected and what was found', () => {
    const env = { PORT: 'http', LOG_LEVEL: 'loud', KEY_PREFIX: 'a{b}', PUBLIC_URL: 'jobs.example.com', MAX_PAYLOAD_BYTES: '1e6' };
    expect(() => loadApiConfig(env, false)).toThrow(
      [
        'The configuration is wrong, nothing was started. Mend these variables:',
        '  KEY_PREFIX: expected at most 64 letters, digits, ".", "_", ":" and "-" (no braces: they decide the slot in a Redis Cluster), found "a{b}".',
        '  LOG_LEVEL: expected one of fatal, error, warn, info, debug, trace, silent, found "loud".',
        '  PORT: expected a whole number from 0 to 65535, found "http".',
        '  PUBLIC_URL: expected an http:// or https:// URL without user, query and fragment, such as https://jobs.example.com, found "jobs.example.com".',
        '  MAX_PAYLOAD_BYTES: expected a whole number of bytes from 1024 to 1000000, found "1e6".',
      ].join('\n'),
    );
  });

  it.each(['65536', '-1', '1.5', '0x50', '3000 4000', '٣', '9'.repeat(400)])('refuses the port %j', (PORT) => {
    expect([...faultsOf({ PORT }).keys()]).toEqual(['PORT']);
  });

  it.each(['bad host', 'host:80', 'http://x', 'a..b', '-a', '[::1]', '1.2.3.4/8', '999.1.1.1', '1.2.3'])(
    'refuses the host %j',
    (HOST) => {
      expect(faultsOf({ HOST, API_KEYS: KEY }).get('HOST')).toContain('expected a host name or an IP address');
    },
  );

  it.each(['ftp://x', 'https://user:pw@x', 'https://x?a=1', 'https://x#a', '/jobs'])(
    'refuses the public URL %j',
    (PUBLIC_URL) => {
      expect([...faultsOf({ PUBLIC_URL }).keys()]).toEqual(['PUBLIC_URL']);
    },
  );

  it('cuts a long wrong value short and shows control characters as escapes', () => {
    const fault = faultsOf({ LOG_LEVEL: `\u001b[31m${'x'.repeat(10_000)}` }).get('LOG_LEVEL');
    expect(fault).toContain('"\\u001b[31mxxx');
    expect(fault?.length).toBeLessThan(250);
  });

  it.each(['127.0.0.1', '127.8.0.1', '::1', 'localhost', 'LOCALHOST'])('listens on %s without keys', (HOST) => {
    expect(faultsOf({ HOST })).toEqual(new Map());
  });

  it.each(['0.0.0.0', '::', '10.0.0.5', 'jobs.example.com', '127.example.com'])(
    'refuses to listen on %s without keys',
    (HOST) => {
      expect(faultsOf({ HOST })).toEqual(
        new Map([
          ['HOST', `without API_KEYS the api listens on loopback only, found "${HOST}". Set API_KEYS, or HOST to 127.0.0.1.`],
        ]),
      );
      expect(faultsOf({ HOST, API_KEYS: KEY })).toEqual(new Map());
    },
  );

  it.each([
    ['http://shop.example/events', 'must be https'],
    ['https://10.0.0.7/events', 'must not lead to a private'],
    ['https://user:hunter2@shop.example', 'must not hold a user'],
    ['shop.example/hunter2', 'must be an https: or http: URL'],
  ])('refuses the address %j of who is told of orders, and does not show it', (ANALYTICS_URL, because) => {
    const fault = faultsOf({ ANALYTICS_URL }).get('ANALYTICS_URL');
    expect(fault).toContain(because);
    expect(fault).not.toContain('hunter2');
    expect(faultsOf({ ANALYTICS_URL: 'http://10.0.0.7/events', OUTBOUND_ALLOW: '10.0.0.7' })).toEqual(new Map());
  });

  it.each(['eur', 'EURO', 'XYZ'])('refuses the currency %j', (ORDER_CURRENCY) => {
    expect([...faultsOf({ ORDER_CURRENCY }).keys()]).toEqual(['ORDER_CURRENCY']);
  });

  it('takes uploads no larger than what the storage takes', () => {
    const storage = 's3://bucket?endpoint=http://127.0.0.1:9000';
    const most = 83_886_080_000;
    expect(faultsOf({ STORAGE_URL: storage, MAX_UPLOAD_BYTES: String(most) })).toEqual(new Map());
    expect(faultsOf({ MAX_UPLOAD_BYTES: String(2 ** 40) })).toEqual(new Map());
    expect(faultsOf({ STORAGE_URL: storage, MAX_UPLOAD_BYTES: String(most + 1) })).toEqual(
      new Map([
        ['MAX_UPLOAD_BYTES', `expected at most ${most} with storage in S3, which takes no larger file, found ${most + 1}.`],
      ]),
    );
    expect([...faultsOf({ STORAGE_URL: 's3:', MAX_UPLOAD_BYTES: String(2 ** 40) }).keys()]).toEqual(['STORAGE_URL']);
  });

  it('refuses production without keys', () => {
    expect([...faultsOf({ NODE_ENV: 'production' }).keys()]).toEqual(['API_KEYS']);
  });

  it('does not complain of missing keys when the keys are there but wrong', () => {
    expect([...faultsOf({ NODE_ENV: 'production', HOST: '0.0.0.0', API_KEYS: 'nonsense' }).keys()]).toEqual(['API_KEYS']);
  });

  it('refuses one port for clients and administration', () => {
    expect([...faultsOf({ PORT: '3000', ADMIN_PORT: '3000' }).keys()]).toEqual(['ADMIN_PORT']);
    expect(faultsOf({ PORT: '0', ADMIN_PORT: '0' })).toEqual(new Map());
  });

  it.each([
    ['off', false],
    ['true', true],
    ['2', 2],
    ['loopback, 10.0.0.0/8,fd00::/8', 'loopback,10.0.0.0/8,fd00::/8'],
  ])('reads TRUST_PROXY %j as Express takes it', (TRUST_PROXY, expected) => {
    expect(loadApiConfig({ TRUST_PROXY }, false).trustProxy).toBe(expected);
  });

  it.each(['0', '33', 'yes', '10.0.0.0/33', '10.0.0.0/8/8', 'loopback,', 'constructor'])(
    'refuses TRUST_PROXY %j',
    (TRUST_PROXY) => {
      expect([...faultsOf({ TRUST_PROXY }).keys()]).toEqual(['TRUST_PROXY']);
    },
  );

  it.each([
    [`ci:${HASH}`, 'entry 1: its scopes are not all known'],
    [`ci:${HASH}:read+admin`, 'entry 1: its scopes are not all known'],
    [`ci:${HASH.slice(1)}:read`, 'entry 1: its hash is not 64 hex digits'],
    [`:${HASH}:read`, 'entry 1: its name is not'],
    [`${KEY},`, 'entry 2: its name is not'],
    [`${KEY}:x`, 'entry 1: it has more than three parts'],
    [`${KEY},ci:${'0'.repeat(64)}:read`, 'entry 2: its name stands there twice'],
    [`${KEY},cd:${HASH}:read`, 'entry 2: its hash stands there twice'],
  ])('says what is wrong with the keys %j', (API_KEYS, because) => {
    expect(faultsOf({ API_KEYS }).get('API_KEYS')).toContain(because);
  });

  it.each([
    ['API_KEYS', 'hunter2'],
    ['API_KEYS', `hunter2:${HASH}:nothing`],
    ['REDIS_URL', 'redis://user:hunter2@:::'],
    ['REDIS_URL', 'http://user:hunter2@localhost'],
    ['DATABASE_URL', 'mysql://user:hunter2@localhost/shop'],
  ])('never shows what stands in %s', (name, value) => {
    const fault = faultsOf({ [name]: value }).get(name);
    expect(fault).toContain('found a value that is not shown');
    expect(fault).not.toContain('hunter2');
  });
});
