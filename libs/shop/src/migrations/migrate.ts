import { sql } from 'kysely';
import { errorFields } from '@antrean/platform';
import { Database } from '../database/database.js';
import { UnfitDatabaseError } from '../database/database-errors.js';
import { MIGRATIONS, TABLES } from './migrations.js';

/** Of PostgreSQL, whose messages come in many languages. */
const EXISTS_CODE = '42P07';
/** Of SQLite, which has no code for it. */
const EXISTS = /^(table|index) .+ already exists$/;

/**
 * Brings the tables up to this version, in one transaction. Others that do the same at the same moment wait for it.
 * @param url as `DATABASE_URL` holds it; the connection is its own.
 * @returns how many steps were made.
 * @throws {UnfitDatabaseError} when the database is of a newer version, has tables of another program, or has lost some of its own.
 */
export async function migrate(url: string): Promise<number> {
  const database = new Database(url, { patient: true });
  try {
    return await database.transaction(async (transaction) => {
      await database.engine.lockSetUp.execute(transaction);
      await sql`create table if not exists shop_migrations (
        version integer not null constraint shop_migrations_version primary key,
        applied_at bigint not null
      )`.execute(transaction);
      const applied = await latest(transaction);
      refuseNewer(applied);
      for (const [index, statements] of MIGRATIONS.entries()) {
        const version = index + 1;
        if (version <= applied) continue;
        for (const statement of statements) await sql.raw(statement).execute(transaction).catch(tellWhatIsInTheWay);
        await transaction.insertInto('shop_migrations').values({ version, applied_at: database.engine.now }).execute();
      }
      await demandTables(transaction, database);
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
export async function demandMigrated(database: Database): Promise<void> {
  const { tables, engine } = database;
  const { rows } = await engine.tableNamed('shop_migrations').execute(tables);
  const applied = rows.length === 0 ? 0 : await latest(tables);
  refuseNewer(applied);
  if (applied === MIGRATIONS.length) return demandTables(tables, database);
  throw new UnfitDatabaseError(
    `The database has ${applied} of the ${MIGRATIONS.length} migrations of this version. ` +
      'Run "npm run migrate" (in the image: node dist/libs/shop/src/migrate.js) with the same DATABASE_URL, then start again.',
  );
}

/** They may have been lost since, or left out of a backup. */
async function demandTables(tables: Database['tables'], { engine }: Database): Promise<void> {
  const missing: string[] = [];
  for (const table of TABLES) {
    const { rows } = await engine.tableNamed(table).execute(tables);
    if (rows.length === 0) missing.push(table);
  }
  if (missing.length === 0) return;
  throw new UnfitDatabaseError(
    `The database was migrated and has lost ${missing.join(', ')}. Restore it from a backup, or set another DATABASE_URL.`,
  );
}

function tellWhatIsInTheWay(error: unknown): never {
  const { code, message } = errorFields(error);
  if (code !== EXISTS_CODE && !EXISTS.test(message)) throw error;
  throw new UnfitDatabaseError(
    `The database has something of another program under a name that is needed here (${message}). ` +
      'Set DATABASE_URL to a database of its own, or rename what is in the way, then migrate again.',
    { cause: error },
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
