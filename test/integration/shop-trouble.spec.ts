import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { ExportGenerate, ImportCustomers, InvoiceRender, ReportGenerate } from '@antrean/catalog';
import { Snooze } from '@antrean/jobs';
import { parseStorageName } from '@antrean/platform';
import { Customers, Database, DatabaseLife, Imports, Orders, UnfitDatabaseError } from '@antrean/shop';
import { sql } from 'kysely';
import { ExportGenerateHandler } from '../../apps/worker/src/handlers/export-generate/export-generate.handler.js';
import { ImportCustomersHandler } from '../../apps/worker/src/handlers/import-customers/import-customers.handler.js';
import { InvoiceRenderHandler } from '../../apps/worker/src/handlers/invoice-render/invoice-render.handler.js';
import { ReportGenerateHandler } from '../../apps/worker/src/handlers/report-generate/report-generate.handler.js';
import { DocumentFiles } from '../../apps/worker/src/reports/document-files.js';
import { eventually } from '../support/eventually.js';
import { jobContext } from '../support/job-context.js';
import { silentLogger } from '../support/shared-redis.js';
import { DATABASES, testDatabases } from '../support/shop-database.js';
import { folderStorage, type TestStorage } from '../support/stored-files.js';

const FILE = parseStorageName('uploads/customers.csv');
const OWNER = { user_id: 'ana' };

describe.each(DATABASES)('jobs that need tables which %s lacks for a while', (kind) => {
  const databases = testDatabases(kind);
  let files: TestStorage;
  let database: Database;

  beforeAll(async () => {
    files = await folderStorage();
    ({ database } = await databases.migrated());
    await files.storage.write(FILE, Readable.from([Buffer.from('email,name\nada@example.com,Ada\n')]));
    await importCustomers();
  });
  afterAll(() => files.remove());

  const rename = (from: string, to: string) => database.tables.schema.alterTable(from).renameTo(to).execute();
  const customers = () => new Customers(database);
  const orders = () => new Orders(database);
  const importCustomers = () =>
    new ImportCustomersHandler(files.storage, database, customers(), new Imports(database)).handle(
      jobContext(ImportCustomers, { ...OWNER, file_key: FILE }),
    );
  const report = () =>
    new ReportGenerateHandler(new DocumentFiles(files.storage), customers(), orders()).handle(
      jobContext(ReportGenerate, { ...OWNER, report: 'customers', format: 'csv' }),
    );
  const exportCustomers = () =>
    new ExportGenerateHandler(new DocumentFiles(files.storage), customers()).handle(
      jobContext(ExportGenerate, { ...OWNER, format: 'json' }),
    );

  it('are put off, which uses no attempt, and run once it has them again', async () => {
    await rename('customers', 'old_customers');
    for (const work of [importCustomers, report, exportCustomers]) {
      const run = work();
      await expect(run).rejects.toThrow(Snooze);
      await expect(run).rejects.toThrow('run "npm run migrate"');
    }
    await rename('old_customers', 'customers');
    expect(await importCustomers()).toMatchObject({ read: 1, updated: 1 });
    expect(await report()).toMatchObject({ rows: 1 });
    expect(await exportCustomers()).toMatchObject({ rows: 1 });
  });

  it('are not taken for those of an order that there is none of', async () => {
    const render = () =>
      new InvoiceRenderHandler(files.storage, orders()).handle(
        jobContext(InvoiceRender, { order_id: '01JDVZ8XQ4T4Y8Q7M5K3N2P1R0' }),
      );
    await rename('orders', 'old_orders');
    await expect(render()).rejects.toThrow(Snooze);
    await rename('old_orders', 'orders');
    await expect(render()).rejects.toMatchObject({ code: 'unknown_order' });
  });
});

describe.each(DATABASES)('the health of %s', (kind) => {
  const databases = testDatabases(kind);

  it('says what it lacks', async () => {
    const { url, database } = await databases.migrated();
    const life = new DatabaseLife(database, { databaseUrl: url, production: true, logger: silentLogger });
    await life.onModuleInit();
    await database.tables.schema.dropTable('shop_migrations').execute();
    expect(await life.check()).toEqual({ ping: false, detail: expect.stringContaining('lacks a table') as string });
  });
});

describe('a PostgreSQL', () => {
  const databases = testDatabases('PostgreSQL');

  it('that takes no writes is unfit, which health tells, and is worked on again when it takes them', async () => {
    const { url, database } = await databases.migrated();
    const set = (value: 'on' | 'off') =>
      sql
        .raw(`alter database ${new URL(url).pathname.slice(1)} set default_transaction_read_only = ${value}`)
        .execute(database.tables);
    await set('on');
    const other = new Database(url);
    try {
      const write = () => other.transaction((transaction) => transaction.deleteFrom('outbox').execute());
      await expect(write()).rejects.toThrow(UnfitDatabaseError);
      await expect(write()).rejects.toThrow('PostgreSQL is read-only');
      const life = new DatabaseLife(other, { databaseUrl: url, production: true, logger: silentLogger });
      await life.onModuleInit();
      expect(await life.check()).toEqual({ ping: true, detail: expect.stringContaining('PostgreSQL is read-only') as string });
      await expect(write()).rejects.toThrow(UnfitDatabaseError);
      await set('off');
      await write();
      expect(await life.check()).toEqual({ ping: true, detail: null });
    } finally {
      await other.close();
    }
  });

  it('that wants a password which DATABASE_URL lacks is unfit, with what to do', async () => {
    const { url, database } = await databases.migrated();
    const run = (statement: string) => sql.raw<Record<string, string>>(statement).execute(database.tables);
    await run("create role clerk superuser login password 'secret'");
    const [{ hba_file } = {}] = (await run('show hba_file')).rows;
    const rules = "('host all clerk all scram-sha-256'), ('host all all all trust')";
    await run(`copy (values ${rules}) to '${hba_file}'`);
    await run('select pg_reload_conf()');
    const look = (password: string) => lookAt(Object.assign(new URL(url), { username: 'clerk', password }).href);
    // It may take a moment to hear of the rules.
    await eventually(() => expect(look('')).rejects.toThrow(UnfitDatabaseError));
    await expect(look('')).rejects.toThrow('Set the password');
    expect(await look('secret')).toEqual([]);
  });

  it('whose certificate is not trusted, or is of another host, is unfit, with what to do', async () => {
    const { url, database } = await databases.migrated();
    const run = (statement: string) => sql.raw(statement).execute(database.tables);
    for (const kind of ['crt', 'key']) {
      const lines = readFileSync(certificate(kind), 'utf8').trim().split('\n');
      const values = lines.map((line) => `('${line}')`).join();
      await run(`copy (values ${values}) to program 'umask 077; cat > server.${kind}'`);
    }
    await run('alter system set ssl = on');
    await run('select pg_reload_conf()');
    const mistrusted = `${url}?sslmode=verify-full`;
    // It may take a moment to hear of its certificate.
    await eventually(() => expect(lookAt(mistrusted)).rejects.toMatchObject({ cause: { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' } }));
    await expect(lookAt(mistrusted)).rejects.toThrow(UnfitDatabaseError);
    await expect(lookAt(mistrusted)).rejects.toThrow('sslrootcert');
    const misnamed = `${mistrusted}&sslrootcert=${certificate('crt')}`;
    await expect(lookAt(misnamed)).rejects.toThrow(UnfitDatabaseError);
    await expect(lookAt(misnamed)).rejects.toMatchObject({ cause: { code: 'ERR_TLS_CERT_ALTNAME_INVALID' } });
    const missing = `${mistrusted}&sslrootcert=${certificate('none')}`;
    await expect(lookAt(missing)).rejects.toThrow(UnfitDatabaseError);
    await expect(lookAt(missing)).rejects.toThrow('A file that DATABASE_URL names');
    expect(await lookAt(`${url}?sslmode=no-verify`)).toEqual([]);
  });

  it('that refuses the user is unfit, and is worked on again when it lets it in', async () => {
    const { url, database } = await databases.migrated();
    const told: unknown[] = [];
    const watch = { reached: () => told.push('reached'), missed: () => told.push('missed') };
    const run = (statement: string) => sql.raw(statement).execute(database.tables);
    await run('create role app superuser nologin');
    const other = new Database(Object.assign(new URL(url), { username: 'app' }).href, { watch });
    try {
      const look = () => other.tables.selectFrom('customers').select('id').execute();
      await expect(look()).rejects.toThrow(UnfitDatabaseError);
      await run('alter role app login');
      expect(await look()).toEqual([]);
      expect(told).toEqual(['missed', 'reached']);
    } finally {
      await other.close();
    }
  });
});

const certificate = (kind: string) => fileURLToPath(new URL(`../fixtures/tls/hooks.test.${kind}`, import.meta.url));

/** By connections of its own. */
async function lookAt(url: string) {
  const database = new Database(url);
  try {
    return await database.tables.selectFrom('customers').select('id').execute();
  } finally {
    await database.close();
  }
}
