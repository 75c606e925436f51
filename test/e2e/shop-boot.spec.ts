import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { BuiltProcess } from '../support/built-process.js';
import { REDIS_URL, newKeyPrefix } from '../support/shared-redis.js';
import { DATABASES, testDatabases } from '../support/shop-database.js';

const run = promisify(execFile);
const COMMAND = join(process.cwd(), 'dist/libs/shop/src/migrate.js');
const PRODUCTION = { NODE_ENV: 'production', API_KEYS: `ops:${'ab'.repeat(32)}:read` };
const UP = { status: 'up', ping: true, detail: null };

const processes: BuiltProcess[] = [];

afterEach(async () => {
  await Promise.all(processes.splice(0).map((each) => each.dispose()));
});

async function start(app: 'api' | 'worker', env: Readonly<Record<string, string>>): Promise<BuiltProcess> {
  const settings = { PORT: '0', WORKER_PORT: '0', REDIS_URL, KEY_PREFIX: newKeyPrefix(), LOG_LEVEL: 'debug' };
  const started = await BuiltProcess.start(app, { ...settings, ...env });
  processes.push(started);
  return started;
}

async function healthOf(app: BuiltProcess): Promise<unknown> {
  const answer = await fetch(`${await app.url()}/health`);
  // The test says what it expects of the details.
  return ((await answer.json()) as { readonly details: { readonly database: unknown } }).details.database;
}

function migrate(url: string, ...args: readonly string[]) {
  return run(process.execPath, [COMMAND, ...args], { env: { DATABASE_URL: url } });
}

describe.each(DATABASES)('the applications on a new database in %s', (kind) => {
  const databases = testDatabases(kind);

  it('make the tables themselves while they are developed, one of them when they start together', async () => {
    const env = { DATABASE_URL: await databases.newUrl() };
    const apps = await Promise.all([start('api', env), start('worker', env)]);
    for (const app of apps) expect(await healthOf(app)).toEqual(UP);
    const made = apps.flatMap(({ log }) => log.filter(({ msg }) => String(msg).includes('brought up to this version')));
    expect(made).toHaveLength(1);
  });
});

describe('in production', () => {
  const databases = testDatabases('PostgreSQL');

  it('the applications do not start before the command has made the tables, and name it', async () => {
    const url = await databases.newUrl();
    const env = { DATABASE_URL: url, ...PRODUCTION };
    const refused = { api: await start('api', env), worker: await start('worker', env) };
    for (const [app, process] of Object.entries(refused)) {
      expect(await process.exit()).toEqual({ code: 1, signal: null });
      expect(process.log.at(-1)).toMatchObject({
        msg: `the ${app} cannot start`,
        reason: expect.stringMatching(/has 0 of the \d+ migrations .*npm run migrate/) as string,
      });
    }
    const both = await Promise.all([migrate(url), migrate(url)]);
    const [made, found] = both.map(({ stdout }) => stdout).sort((one, other) => other.length - one.length);
    expect(made).toMatch(/^The database is up to date: \d+ migrations were made\.\n$/);
    expect(found).toBe('The database is up to date.\n');
    expect(await healthOf(await start('worker', env))).toEqual(UP);
  });
});

describe('the command that makes the tables', () => {
  const databases = testDatabases('SQLite');

  it('fills them with an example when it is asked to, once', async () => {
    const url = await databases.newUrl();
    expect((await migrate(url, '--seed')).stdout).toMatch(/\d+ customers with \d+ orders were added\.\n$/);
    expect((await migrate(url, '--seed')).stdout).toMatch(/It has customers already: nothing was added\.\n$/);
  });

  it('says what is wrong', async () => {
    await expect(migrate(await databases.newUrl(), '--sed')).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('"--sed"') as string,
    });
    await expect(migrate('postgres://shop@127.0.0.1:1/shop')).rejects.toMatchObject({
      ...{ code: 1, stderr: expect.stringContaining('ECONNREFUSED') as string },
    });
  });
});
