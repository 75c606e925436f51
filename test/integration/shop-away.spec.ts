import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import { Customers, Database, DatabaseAwayError, DatabaseLife, ShopOutbox, UnfitDatabaseError } from '@antrean/shop';
import { migrate } from '../../libs/shop/src/migrations/migrate.js';
import { BriefPostgres } from '../support/brief-postgres.js';
import { eventually } from '../support/eventually.js';
import { silentLogger } from '../support/shared-redis.js';
import { testDatabases } from '../support/shop-database.js';

const upsert = (database: Database, email: string) =>
  database.transaction((transaction) => new Customers(database).upsert(transaction, [{ email, name: 'X' }]));

/** As many as the file has now, at least. */
const pages = (database: Database, most: number) =>
  database.transaction((transaction) => sql.raw(`PRAGMA max_page_count = ${most}`).execute(transaction));

describe('SQLite', () => {
  const databases = testDatabases('SQLite');

  it('that another process writes to is waited for', async () => {
    const { url, database } = await databases.migrated();
    const other = new Database(url);
    try {
      let release: () => void = () => undefined;
      const held = new Promise<void>((resolve) => (release = resolve));
      let writing: Promise<void> | undefined;
      await new Promise<void>((began) => {
        writing = other.transaction(async (transaction) => {
          await transaction.insertInto('shop_migrations').values({ version: 0, applied_at: 0 }).execute();
          began();
          await held;
        });
      });
      const waiting = upsert(database, 'a@example.com');
      await pause(100);
      // Meanwhile this process goes on, and reads.
      expect(await database.tables.selectFrom('customers').select('id').execute()).toEqual([]);
      release();
      await writing;
      expect(await waiting).toEqual({ inserted: 1, updated: 0 });
    } finally {
      await other.close();
    }
  });

  it('that others write to for too long is away, which passes', async () => {
    const { url, database } = await databases.migrated();
    const other = new Database(url);
    try {
      await other.transaction(async () => {
        await expect(upsert(database, 'a@example.com')).rejects.toThrow(DatabaseAwayError);
      });
      expect(await upsert(database, 'a@example.com')).toEqual({ inserted: 1, updated: 0 });
    } finally {
      await other.close();
    }
  });

  it('whose disk is full is away, and is worked on again when there is room', async () => {
    const { database } = await databases.migrated();
    const row = { email: 'a@example.com', email_key: 'a@example.com', name: 'X'.repeat(100_000), phone: null, country: null };
    // One row: what of many fails alone is undone alone.
    const insert = () =>
      database.transaction((transaction) =>
        transaction
          .insertInto('customers')
          .values({ ...row, id: '1', created_at: 0, updated_at: 0 })
          .execute(),
      );
    await pages(database, 1);
    await expect(insert()).rejects.toThrow(DatabaseAwayError);
    await expect(insert()).rejects.toMatchObject({ cause: { code: 'SQLITE_FULL' } });
    await pages(database, 10_000);
    await insert();
  });

  it('keeps what was committed through the loss of power', async () => {
    const { database } = await databases.migrated();
    const pragma = async (name: string) => {
      const { rows } = await sql.raw<object>(`PRAGMA ${name}`).execute(database.tables);
      return Object.values(rows[0] ?? {})[0] as unknown;
    };
    expect(await Promise.all(['journal_mode', 'synchronous', 'foreign_keys'].map(pragma))).toEqual(['wal', 2, 1]);
  });

  it('that cannot be opened is refused, with what to do', async () => {
    const { url: file } = await databases.migrated();
    // The folder would be a file.
    const url = `${file}/shop.db`;
    const database = new Database(url);
    const life = new DatabaseLife(database, { databaseUrl: url, production: true, logger: silentLogger });
    const started = life.onModuleInit();
    await expect(started).rejects.toThrow(UnfitDatabaseError);
    await expect(started).rejects.toThrow('set DATABASE_URL');
    await life.onApplicationShutdown();
  });
});

describe('PostgreSQL', () => {
  const databases = testDatabases('PostgreSQL');

  it('that is stopped is away, and is worked on again when it is back', async () => {
    const { database } = await databases.migrated();
    const inHand = database.transaction(async (transaction) => {
      await transaction.selectFrom('customers').select('id').execute();
      await databases.server.kill();
      return transaction.selectFrom('customers').select('id').execute();
    });
    await expect(inHand).rejects.toThrow(DatabaseAwayError);
    await expect(upsert(database, 'a@example.com')).rejects.toThrow(DatabaseAwayError);
    await expect(new ShopOutbox(database).take(1, 1_000)).rejects.toThrow(DatabaseAwayError);
    await databases.server.restart();
    expect(await upsert(database, 'a@example.com')).toEqual({ inserted: 1, updated: 0 });
  });

  it('whose operator ends a connection as soon as it is made is away for one statement, and the process goes on', async () => {
    const { url } = await databases.migrated();
    const brief = await BriefPostgres.before(url);
    const database = new Database(brief.url);
    try {
      await expect(upsert(database, 'a@example.com')).rejects.toThrow(DatabaseAwayError);
      expect(await upsert(database, 'a@example.com')).toEqual({ inserted: 1, updated: 0 });
    } finally {
      await database.close();
      await brief.stop();
    }
  });

  it('that refuses the address is refused, with what to do', async () => {
    const url = (await databases.newUrl()).replace(/test_\w+$/, 'nowhere');
    const database = new Database(url);
    const life = new DatabaseLife(database, { databaseUrl: url, production: true, logger: silentLogger });
    await expect(life.onModuleInit()).rejects.toThrow('PostgreSQL has no database of the name in DATABASE_URL.');
    await life.onApplicationShutdown();
  });

  it('that is away when an application starts, and comes without its tables, is waited for until it has them', async () => {
    const url = await databases.newUrl();
    await databases.server.kill();
    const database = new Database(url);
    const life = new DatabaseLife(database, { databaseUrl: url, production: true, logger: silentLogger });
    try {
      await life.onModuleInit();
      expect(life).toMatchObject({ heldBy: expect.stringContaining('has not answered yet') as string, refusal: undefined });
      await databases.server.restart();
      const advice = expect.stringMatching(/has 0 of .* Run "npm run migrate"/) as string;
      await eventually(() => {
        expect(life).toMatchObject({ heldBy: advice, refusal: advice });
      });
      await migrate(url);
      await life.fit;
      expect(life).toMatchObject({ heldBy: undefined, refusal: undefined });
    } finally {
      await life.onApplicationShutdown();
    }
  });

  it('that is away when an application starts is looked after when it comes', async () => {
    const url = await databases.newUrl();
    await databases.server.kill();
    const database = new Database(url);
    const life = new DatabaseLife(database, { databaseUrl: url, production: false, logger: silentLogger });
    try {
      await life.onModuleInit();
      expect(await life.check()).toEqual({
        ping: false,
        detail: 'The database has not answered yet since this process started.',
      });
      await databases.server.restart();
      await eventually(async () => {
        expect(await life.check()).toEqual({ ping: true, detail: null });
      });
      expect(await upsert(database, 'a@example.com')).toEqual({ inserted: 1, updated: 0 });
      await databases.server.kill();
      expect(await life.check()).toEqual({ ping: false, detail: 'The database does not answer.' });
    } finally {
      await life.onApplicationShutdown();
      await databases.server.restart();
    }
  });
});
