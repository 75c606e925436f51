import { PostgresDialect, sql } from 'kysely';
import type { Engine, EngineSettings } from '../engine.js';
import { openPostgres } from './open-postgres.js';
import { READ_ONLY } from './postgres-errors.js';
import { PostgresEar } from './postgres-ear.js';

/** Any number, that no other program is likely to lock by. */
const MIGRATION_LOCK = 4_702_111_234;

/** A server that several machines share. */
export function postgresEngine(url: string, settings: EngineSettings): Engine {
  return {
    newDialect: () => new PostgresDialect({ pool: () => openPostgres(url, settings) }),
    writesApart: false,
    // Asked once a statement, not once a row: otherwise no index would find what is due.
    now: sql<number>`(select cast(extract(epoch from clock_timestamp()) * 1000 as bigint))`,
    forUpdate: sql`for update`,
    forUpdateSkipLocked: sql`for update skip locked`,
    news: {
      tell: (channel) => sql`select pg_notify(${channel}, '')`,
      listen: (channel, callback) => {
        const ear = new PostgresEar(url, channel, callback);
        ear.start();
        return ear;
      },
    },
    lockSetUp: sql`select pg_advisory_xact_lock(${MIGRATION_LOCK})`,
    readOnly: { when: sql`current_setting('transaction_read_only') = 'on'`, detail: READ_ONLY },
    tableNamed: (name) => sql`select 1 where to_regclass(${name}) is not null`,
  };
}
