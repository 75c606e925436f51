import { loadavg } from 'node:os';
import { ImportCustomers } from '@antrean/catalog';
import { parseStorageName } from '@antrean/platform';
import { Imports, type Database } from '@antrean/shop';
import { sql } from 'kysely';
import type { BuiltProcess } from '../support/built-process.js';
import { builtApps } from '../support/built-apps.js';
import { eventually } from '../support/eventually.js';
import { startJobsApp, type JobsApp } from '../support/jobs-app.js';
import { testDatabases } from '../support/shop-database.js';
import { newKeyPrefix } from '../support/shared-redis.js';
import { folderStorage, type TestStorage } from '../support/stored-files.js';
import { TestRedis } from '../support/test-redis.js';
import { succeeded, untilJob } from '../support/until-job.js';
import { CustomerRows } from './customer-rows.js';

const ROWS = Number(process.env['IMPORT_ROWS'] ?? 1_000_000);
const MOST_BYTES = 250 * 1_048_576;
const KILLS = 10;
const FILE = parseStorageName('uploads/customers.csv');

jest.setTimeout(15 * 60_000);

const print = (text: string): void => {
  process.stdout.write(`${text} (load ${loadavg()[0]?.toFixed(1) ?? ''})\n`);
};

describe('an import of customers', () => {
  const databases = testDatabases('SQLite');
  const keyPrefix = newKeyPrefix();
  const { start } = builtApps('worker', { KEY_PREFIX: keyPrefix, WORKER_PORT: '0', LEASE_SEC: '3' });
  let redis: TestRedis;
  let files: TestStorage;
  let producer: JobsApp;

  beforeAll(async () => {
    [redis, files] = await Promise.all([TestRedis.start(), folderStorage()]);
    producer = await startJobsApp([ImportCustomers], [], { keyPrefix, redisUrl: redis.url, types: ['!*'] });
  });

  afterAll(async () => {
    await producer.close();
    await Promise.all([redis.stop(), files.remove()]);
  });

  const submit = async (rows: CustomerRows): Promise<string> => {
    await files.storage.write(FILE, rows.file());
    return (await producer.queue.enqueue(ImportCustomers, { file_key: FILE, user_id: 'ana' })).jobId;
  };
  const startWorker = (databaseUrl: string): Promise<BuiltProcess> =>
    start({ REDIS_URL: redis.url, DATABASE_URL: databaseUrl, STORAGE_URL: files.url });

  it(`of ${number(ROWS)} rows is done in constant memory`, async () => {
    const rows = new CustomerRows(ROWS);
    const { url, database } = await databases.migrated();
    const jobId = await submit(rows);
    const worker = await startWorker(url);
    const { result, startedAt, finishedAt } = await untilJob(producer, jobId, succeeded, 12 * 60_000);
    const peak = await worker.peakMemory();
    const seconds = ((finishedAt?.getTime() ?? NaN) - (startedAt?.getTime() ?? NaN)) / 1_000;
    const pace = `${seconds.toFixed(0)} s, ${number(Math.round(ROWS / seconds))} rows a second`;
    print(`import, ${number(ROWS)} rows: ${pace}, at most ${Math.round(peak / 1_048_576)} MB`);
    expect(result).toEqual({ read: rows.count, imported: rows.good, updated: 0, rejected: rows.bad });
    const { count } = await database.tables
      .selectFrom('customers')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    expect(count).toBe(rows.good);
    expect(peak).toBeLessThanOrEqual(MOST_BYTES);
  });

  it(`of 200,000 rows, killed ${KILLS} times, writes each good row once and each bad one once`, async () => {
    const rows = new CustomerRows(200_000);
    const { url, database } = await databases.migrated();
    const effects = await Effects.watch(database);
    const imports = new Imports(database);
    const jobId = await submit(rows);
    const rowsRead = async (): Promise<number> => (await imports.get(jobId))?.read ?? 0;

    const killedAt: number[] = [];
    for (let kill = 1; kill <= KILLS; kill += 1) {
      const before = await rowsRead();
      const until = before + Math.ceil((Math.random() * rows.count) / (KILLS + 1));
      const worker = await startWorker(url);
      await untilJob(producer, jobId, ({ status, crashes }) => status === 'processing' && crashes === kill - 1);
      await eventually(async () => {
        expect(await rowsRead()).toBeGreaterThanOrEqual(until);
      }, 60_000);
      worker.kill('SIGKILL');
      expect(await worker.exit()).toEqual({ code: null, signal: 'SIGKILL' });
      // It was in the midst of it: neither the import nor its run had ended.
      expect(await imports.get(jobId)).toMatchObject({ finishedAt: null });
      killedAt.push(await rowsRead());
      expect(killedAt.at(-1)).toBeLessThan(rows.count);
      expect(await producer.status.get(jobId)).toMatchObject({ status: 'processing', crashes: kill - 1 });
    }

    await startWorker(url);
    // Its checkpoints let it outlive so many.
    const job = await untilJob(producer, jobId, succeeded);
    print(`import, ${number(rows.count)} rows: killed after ${killedAt.map(number).join(' ')} rows`);

    const counts = { read: rows.count, imported: rows.good, updated: 0, rejected: rows.bad };
    expect(job).toMatchObject({ crashes: KILLS, result: counts });
    expect(await imports.get(jobId)).toMatchObject(counts);
    expect(await effects.updates()).toBe(0);
    const inserts = await effects.inserts();
    expect(inserts.length).toBe(rows.good);
    const inserted = new Set(inserts);
    expect([...rows.emails()].filter((email) => !inserted.has(email))).toEqual([]);
    const rejects: { readonly line: number; readonly row: string }[] = [];
    for await (const { line, row } of imports.rejects(jobId)) rejects.push({ line, row });
    expect(rejects).toEqual([...rows.rejects()]);
  });
});

/** What was done to customers, noted by the database itself, which would note the same twice. */
class Effects {
  private constructor(private readonly database: Database) {}

  static async watch(database: Database): Promise<Effects> {
    const note = (event: string) => `create trigger note_${event} after ${event} on customers begin
      insert into effects (event, email_key) values ('${event}', new.email_key); end`;
    await database.transaction(async (transaction) => {
      for (const statement of [
        'create table effects (event text not null, email_key text not null)',
        note('insert'),
        note('update'),
      ])
        await sql.raw(statement).execute(transaction);
    });
    return new Effects(database);
  }

  async updates(): Promise<number> {
    return (await this.of('update')).length;
  }

  /** The e-mails of new customers, as often as they were written. */
  inserts(): Promise<readonly string[]> {
    return this.of('insert');
  }

  private async of(event: 'insert' | 'update'): Promise<readonly string[]> {
    const found = await sql<{ email_key: string }>`select email_key from effects where event = ${event}`.execute(
      this.database.tables,
    );
    return found.rows.map(({ email_key }) => email_key);
  }
}

function number(count: number): string {
  return count.toLocaleString('en');
}
