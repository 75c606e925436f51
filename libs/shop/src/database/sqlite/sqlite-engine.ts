import { SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler, sql } from 'kysely';
import type { Engine, EngineSettings } from '../engine.js';
import { ImmediateSqliteDriver } from './immediate-sqlite-driver.js';
import { openSqlite } from './open-sqlite.js';

const NOTHING = sql``;

/** A file that several processes of one machine share. */
export function sqliteEngine(file: string, settings: EngineSettings): Engine {
  return {
    newDialect: () => ({
      createDriver: () => new ImmediateSqliteDriver({ database: () => openSqlite(file, settings) }, settings),
      createAdapter: () => new SqliteAdapter(),
      createQueryCompiler: () => new SqliteQueryCompiler(),
      createIntrospector: (db) => new SqliteIntrospector(db),
    }),
    writesApart: true,
    now: sql<number>`cast(unixepoch('subsec') * 1000 as integer)`,
    // Whoever writes has the whole file from the beginning of the transaction.
    forUpdate: NOTHING,
    forUpdateSkipLocked: NOTHING,
    news: undefined,
    lockSetUp: sql`select 1`,
    // Whoever cannot write the file is told at the first write.
    readOnly: { when: sql`0`, detail: '' },
    tableNamed: (name) => sql`select 1 from sqlite_master where type = 'table' and name = ${name}`,
  };
}
