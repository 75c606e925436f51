import { sql } from 'kysely';
import { Database, UnfitDatabaseError } from '@antrean/shop';
import { demandMigrated, migrate } from '../../libs/shop/src/migrations/migrate.js';
import { MIGRATIONS } from '../../libs/shop/src/migrations/migrations.js';
import { seed } from '../../libs/shop/src/seed/seed.js';
import { DATABASES, testDatabases } from '../support/shop-database.js';

describe.each(DATABASES)('the tables on %s', (kind) => {
  const databases = testDatabases(kind);

  it('are made once, also when several make them at the same moment', async () => {
    const url = await databases.newUrl();
    const steps = await Promise.all([migrate(url), migrate(url), migrate(url)]);
    expect(steps.sort()).toEqual([0, 0, MIGRATIONS.length]);
    expect(await migrate(url)).toBe(0);
  });

  it('are demanded with the command that makes them', async () => {
    const url = await databases.newUrl();
    const database = new Database(url);
    try {
      const demanded = demandMigrated(database);
      await expect(demanded).rejects.toThrow(UnfitDatabaseError);
      await expect(demanded).rejects.toThrow(/has 0 of the \d+ migrations .*npm run migrate/);
      await migrate(url);
      await demandMigrated(database);
    } finally {
      await database.close();
    }
  });

  it('of a newer version are neither worked on nor changed', async () => {
    const { url, database } = await databases.migrated();
    const version = MIGRATIONS.length + 1;
    await database.tables.insertInto('shop_migrations').values({ version, applied_at: 0 }).execute();
    const sentence = `of a newer version: it has ${version} migrations, and this version knows ${MIGRATIONS.length}`;
    await expect(demandMigrated(database)).rejects.toThrow(sentence);
    await expect(migrate(url)).rejects.toThrow(sentence);
  });

  it('are all there or none when a step fails', async () => {
    const url = await databases.newUrl();
    const other = new Database(url);
    try {
      // In the way of a later step.
      await other.engine.tableNamed('x').execute(other.tables);
      await other.tables.schema.createTable('imports').addColumn('x', 'integer').execute();
      await expect(migrate(url)).rejects.toThrow(/exists/);
      expect((await other.engine.tableNamed('customers').execute(other.tables)).rows).toEqual([]);
    } finally {
      await other.close();
    }
  });

  it('of another program are left as they are, and told of with what to do', async () => {
    const url = await databases.newUrl();
    const other = new Database(url);
    try {
      await other.tables.schema.createTable('deliveries').addColumn('x', 'integer').execute();
      const migration = migrate(url);
      await expect(migration).rejects.toThrow(UnfitDatabaseError);
      await expect(migration).rejects.toThrow(/deliveries.* of its own/);
      await sql`select x from deliveries`.execute(other.tables);
    } finally {
      await other.close();
    }
  });

  it('are missed when they are gone, though they were made once', async () => {
    const { url, database } = await databases.migrated();
    for (const table of ['outbox', 'import_rejects']) await database.tables.schema.dropTable(table).execute();
    for (const demand of [() => demandMigrated(database), () => migrate(url)]) {
      const demanded = demand();
      await expect(demanded).rejects.toThrow(UnfitDatabaseError);
      await expect(demanded).rejects.toThrow('lost outbox, import_rejects. Restore');
    }
  });

  it('are filled with an example once, with names of many scripts and orders of the last months', async () => {
    const { database } = await databases.migrated();
    const both = await Promise.all([seed(database), seed(database)]);
    const counts = both.find(({ customers }) => customers > 0) ?? { customers: 0, orders: 0 };
    expect(counts.customers).toBeGreaterThan(200);
    expect(counts.orders).toBeGreaterThan(500);
    const nothing = { customers: 0, orders: 0 };
    expect(both).toContainEqual(nothing);
    expect(await seed(database)).toEqual(nothing);
    const names = await database.tables.selectFrom('customers').select('name').execute();
    for (const script of ['Latin', 'Cyrillic', 'Greek', 'Han', 'Arabic', 'Hebrew', 'Devanagari', 'Thai']) {
      expect(names.some(({ name }) => new RegExp(`\\p{Script=${script}}`, 'u').test(name))).toBe(true);
    }
    const { count, oldest } = await database.tables
      .selectFrom('orders')
      .select(({ fn }) => [fn.countAll<number>().as('count'), fn.min('created_at').as('oldest')])
      .executeTakeFirstOrThrow();
    expect(count).toBe(counts.orders);
    expect((Date.now() - oldest) / 86_400_000).toBeGreaterThan(90);
    const { strangers } = await database.tables
      .selectFrom('orders')
      .innerJoin('customers', 'customers.id', 'customer_id')
      .select(({ fn }) => fn.countAll<number>().as('strangers'))
      .where(sql`(customer_email, customer_name, customer_country)`, '<>', sql`(email, customers.name, country)`)
      .executeTakeFirstOrThrow();
    expect(strangers).toBe(0);
  });
});
