import { configOrExit, errorFields, loadMigrationConfig } from '@antrean/platform';
import { DatabaseAwayError, UnfitDatabaseError } from './database/database-errors.js';
import { Database } from './database/database.js';
import { migrate } from './migrations/migrate.js';
import { seed } from './seed/seed.js';

/** `npm run migrate [-- --seed]`: brings the tables of `DATABASE_URL` up to this version, and fills them with an example. */

const SEED = '--seed';
const { databaseUrl } = configOrExit(loadMigrationConfig);

try {
  await run(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${whatToDo(error)}\n`);
  process.exitCode = 1;
}

async function run(args: readonly string[]): Promise<void> {
  const stray = args.find((arg) => arg !== SEED);
  if (stray !== undefined) throw new UnfitDatabaseError(`"${stray}" is no option of this command; the only one is ${SEED}.`);
  const steps = await migrate(databaseUrl);
  tell(steps === 0 ? 'The database is up to date.' : `The database is up to date: ${steps} migrations were made.`);
  if (args.includes(SEED)) await fill();
}

async function fill(): Promise<void> {
  const database = new Database(databaseUrl, { patient: true });
  try {
    const { customers, orders } = await seed(database);
    tell(
      customers === 0
        ? 'It has customers already: nothing was added.'
        : `${customers} customers with ${orders} orders were added.`,
    );
  } finally {
    await database.close();
  }
}

function whatToDo(error: unknown): string {
  if (error instanceof UnfitDatabaseError) return error.message;
  if (!(error instanceof DatabaseAwayError)) throw error;
  return `The database does not answer (${errorFields(error.cause).message}). See that it runs, and that DATABASE_URL names it.`;
}

function tell(text: string): void {
  process.stdout.write(`${text}\n`);
}
