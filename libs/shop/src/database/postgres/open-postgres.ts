import type { PostgresPool, PostgresPoolClient } from 'kysely';
import type { PoolClient } from 'pg';
import { isDatabaseTrouble, type DatabaseAwayError, type UnfitDatabaseError } from '../database-errors.js';
import type { EngineSettings } from '../engine.js';
import { postgresError } from './postgres-errors.js';

/** Connections of one process. */
const MOST_CONNECTIONS = 10;
/** For a new connection, and for a free one when all are in use. */
const CONNECT_MS = 5_000;
/** The server breaks a statement off … */
const STATEMENT_MS = 10_000;
/** … and this side gives up the connection when the server does not even do that. */
const ANSWER_MS = STATEMENT_MS + 1_000;

/**
 * A pool that connects when it is asked, and lets go of a connection that failed: a statement may still be under way there, or it leads to
 * what was the primary before a fail-over.
 */
export async function openPostgres(url: string, { patient, watch }: EngineSettings): Promise<PostgresPool> {
  // Loaded only by those who use it.
  const { default: pg } = await import('pg');
  const pool = new pg.Pool({
    connectionString: url,
    application_name: 'antrean',
    max: patient ? 1 : MOST_CONNECTIONS,
    keepAlive: true,
    connectionTimeoutMillis: CONNECT_MS,
    ...(!patient && {
      statement_timeout: STATEMENT_MS,
      query_timeout: ANSWER_MS,
      idle_in_transaction_session_timeout: STATEMENT_MS,
    }),
    types: {
      getTypeParser: (oid, format) =>
        // Amounts and times are below 2^53.
        oid === pg.types.builtins.INT8 && format !== 'binary'
          ? Number
          : (pg.types.getTypeParser(oid, format) as (value: string) => unknown),
    },
  });
  // An idle connection that breaks; the next statement tells.
  pool.on('error', () => undefined);
  // The pool hears a connection only while it is idle, and one may be told its end in the same breath as that it is ready.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return {
    connect: async () => {
      try {
        const client = await pool.connect();
        watch.reached();
        return arranged(client);
      } catch (cause) {
        const error = postgresError(cause);
        if (isDatabaseTrouble(error)) watch.missed(cause);
        throw error;
      }
    },
    end: () => pool.end(),
  };
}

function arranged(client: PoolClient): PostgresPoolClient {
  let lost: DatabaseAwayError | UnfitDatabaseError | undefined;
  const query = async (text: string, parameters: readonly unknown[]) => {
    // The end of a transaction would be waited for in vain.
    if (lost !== undefined) throw lost;
    try {
      return await client.query(text, [...parameters]);
    } catch (cause) {
      const error = postgresError(cause);
      if (isDatabaseTrouble(error)) lost ??= error;
      throw error;
    }
  };
  return {
    // Its other form takes cursors, which are not used: what is long is read in pages.
    query: query as unknown as PostgresPoolClient['query'],
    release: (discard = false) => {
      client.release(lost !== undefined || discard);
    },
  };
}
