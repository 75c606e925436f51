import { sql } from 'kysely';
import { Database } from '../database/database.js';
import { UnfitDatabaseError } from '../database/database-errors.js';
import { MIGRATIONS } from './migrations.js';

/**
 * Brings the tables up to this version, in one transaction. Others that do the same at the same moment wait for it.
 * @param url as `DATABASE_URL` holds it; the connection is its own.
 * @returns how many steps were made.
 * @throws {UnfitDatabaseError} when the database is of a newer version.
 */
export async function migrate(url: string): Promise<number> {
  const database = new Database(url, { patient: true });
  try {
    return await database.transaction(async (transaction) => {
      await database.engine.lockMigrations.execute(transaction);
      await sql`create table if not exists shop_migrations (
        version integer not null constraint shop_migrations_version primary key,
        applied_at bigint not null
      )`.execute(transaction);
      const applied = await latest(transaction);
      refuseNewer(applied);
      for (const [index, statements] of MIGRATIONS.entries()) {
        const version = index + 1;
        if (version <= applied) continue;
        for (const statement of statements) await sql.raw(statement).execute(transaction);
        await transaction.insertInto('shop_migrations').values({ version, applied_at: database.engine.now }).execute();
      }
      return MIGRATIONS.length - applied;
    });
  } finally {
    await database.close();
  }
}

/**
 * Resolves when the tables are as this version needs them.
 * @throws {UnfitDatabaseError} that says what to do when they are not.
 */
export async function demandMigrated({ tables, engine }: Database): Promise<void> {
  const { rows } = await engine.tableNamed('shop_migrations').execute(tables);
  const applied = rows.length === 0 ? 0 : await latest(tables);
  refuseNewer(applied);
  if (applied === MIGRATIONS.length) return;
  throw new UnfitDatabaseError(
    `The database has ${applied} of the ${MIGRATIONS.length} migrations of this version. ` +
      'Run "npm run migrate" (in the image: node dist/libs/shop/src/migrate.js) with the same DATABASE_URL, then start again.',
  );
}

async function latest(tables: Database['tables']): Promise<number> {
  const row = await tables
    .selectFrom('shop_migrations')
    .select(({ fn }) => fn.max('version').as('version'))
    .executeTakeFirst();
  return row?.version ?? 0;
}

function refuseNewer(applied: number): void {
  if (applied <= MIGRATIONS.length) return;
  throw new UnfitDatabaseError(
    `The database is of a newer version: it has ${applied} migrations, and this version knows ${MIGRATIONS.length}. ` +
      'Start that version, or set another DATABASE_URL.',
  );
}
