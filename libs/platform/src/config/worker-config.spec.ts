import { ConfigError } from './config-error.js';
import { loadWorkerConfig } from './worker-config.js';

function faultsOf(env: NodeJS.ProcessEnv): ReadonlyMap<string, string> {
  try {
    loadWorkerConfig(env, false);
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
  return new Map();
}

describe('loadWorkerConfig', () => {
  it('has a default for everything', () => {
    expect(loadWorkerConfig({}, false)).toEqual({
      redisUrl: 'redis://127.0.0.1:6379',
      keyPrefix: 'antrean',
      databaseUrl: 'sqlite:.data/antrean.db',
      durability: 'local',
      host: '127.0.0.1',
      port: 3001,
      types: ['*'],
      slots: 100,
      concurrency: {},
      leaseMs: 30_000,
      shutdownGraceMs: 25_000,
      retentionMs: 86_400_000,
      deadRetentionMs: 2_592_000_000,
      smtpUrl: undefined,
      mailFrom: 'Antrean <antrean@localhost>',
      emailOnUnknown: 'resend',
      mailDir: '.data/mail',
      analyticsFile: '.data/analytics.jsonl',
      apiKeys: [],
      storageUrl: 'file:.data/storage',
      outboundAllow: [],
      webhookSecrets: new Map(),
      logLevel: 'info',
      logFormat: 'json',
      production: false,
    });
  });

  it('reads every variable', () => {
    const env = {
      REDIS_URL: 'redis+sentinel://h1,h2/main',
      WORKER_HOST: 'localhost',
      WORKER_PORT: '4001',
      WORKER_TYPES: 'email.*, !report.generate',
      WORKER_SLOTS: '7',
      WORKER_CONCURRENCY: 'email.send=50, report.generate = 2',
      LEASE_SEC: '5',
      SHUTDOWN_GRACE_SEC: '0',
      RETENTION_SEC: '60',
      DEAD_RETENTION_SEC: '120',
      STORAGE_URL: 'file:/var/lib/antrean',
      SMTP_URL: 'smtps://user:p%40ss@mail.example:465',
      MAIL_FROM: '"Café, Shop" <shop@example.com>',
      EMAIL_ON_UNKNOWN: 'fail',
      ANALYTICS_FILE: '/var/lib/antrean/events.jsonl',
      NODE_ENV: 'production',
    };
    expect(loadWorkerConfig(env, false)).toMatchObject({
      redisUrl: 'redis+sentinel://h1,h2/main',
      host: 'localhost',
      port: 4001,
      types: ['email.*', '!report.generate'],
      slots: 7,
      concurrency: { 'email.send': 50, 'report.generate': 2 },
      leaseMs: 5_000,
      shutdownGraceMs: 0,
      retentionMs: 60_000,
      deadRetentionMs: 120_000,
      storageUrl: 'file:/var/lib/antrean',
      smtpUrl: 'smtps://user:p%40ss@mail.example:465',
      mailFrom: '"Café, Shop" <shop@example.com>',
      emailOnUnknown: 'fail',
      analyticsFile: '/var/lib/antrean/events.jsonl',
      production: true,
    });
  });

  it('states bounds and unit of a span in seconds', () => {
    expect(faultsOf({ LEASE_SEC: '0' }).get('LEASE_SEC')).toBe('expected a whole number of seconds from 1 to 3600, found "0".');
    expect(faultsOf({ SHUTDOWN_GRACE_SEC: '25s' }).has('SHUTDOWN_GRACE_SEC')).toBe(true);
  });

  it('refuses to show metrics beyond this machine without keys', () => {
    expect([...faultsOf({ WORKER_HOST: '0.0.0.0' }).keys()]).toEqual(['WORKER_HOST']);
    expect(faultsOf({ WORKER_HOST: '0.0.0.0', API_KEYS: `ops:${'0'.repeat(64)}:read` })).toEqual(new Map());
  });

  it.each([
    ['email', '"email" is none'],
    ['email.send=0', '"email.send=0" is none'],
    ['email.send=10001', '"email.send=10001" is none'],
    ['email.send=1=2', '"email.send=1=2" is none'],
    ['Email=1', '"Email=1" is none'],
    ['a=1,', '"" is none'],
    ['a=1,a=2', 'a stands there twice'],
  ])('refuses WORKER_CONCURRENCY %j', (WORKER_CONCURRENCY, because) => {
    expect(faultsOf({ WORKER_CONCURRENCY }).get('WORKER_CONCURRENCY')).toContain(because);
  });

  it.each([
    ['email.send,', '"" is no name of a type'],
    ['Email', '"Email" is no name of a type'],
    ['email_send', '"email_send" is no name of a type'],
    ['!!a', '"!!a" is no name of a type'],
  ])('refuses WORKER_TYPES %j', (WORKER_TYPES, because) => {
    expect(faultsOf({ WORKER_TYPES }).get('WORKER_TYPES')).toContain(because);
  });

  it.each([
    ['http://user:hunter2@mail', 'it does not begin with smtp:// or smtps://'],
    ['smtp://', 'it names no host'],
    ['hunter2', 'it is not a URL'],
  ])('refuses SMTP_URL %j without showing it', (SMTP_URL, because) => {
    const fault = faultsOf({ SMTP_URL }).get('SMTP_URL');
    expect(fault).toContain(because);
    expect(fault).not.toContain('hunter2');
  });

  it.each(['nobody', 'büdi@example.com', '"a b"@x.com', 'a@[1.2.3.4]', 'Shop\n<shop@example.com>'])(
    'refuses MAIL_FROM %j',
    (MAIL_FROM) => {
      expect([...faultsOf({ MAIL_FROM }).keys()]).toEqual(['MAIL_FROM']);
    },
  );
});
