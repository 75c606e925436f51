import type { DatabaseError } from 'pg';
import { errorFields } from '@antrean/platform';
import { ConstraintError, DatabaseAwayError, UnfitDatabaseError } from '../database-errors.js';

const KINDS = { '23505': 'unique', '23503': 'foreign_key', '23514': 'check', '23502': 'not_null' } as const;
/**
 * By SQLSTATE: connection lost, no room or no connection left, broken off by an operator, a time-out, a lock or a deadlock; a server
 * that shuts down, starts or recovers for now.
 */
const PASSING = /^(08|53|57|58|40001$|40P01$|55P03$|25P0[34]$)/;
const OTHER_TABLES =
  'PostgreSQL lacks a table or a column of this version: run "npm run migrate" with this DATABASE_URL, or see what was done to it.';
/** Also after a fail-over, until the address leads to the new primary. */
export const READ_ONLY =
  'PostgreSQL is read-only: a standby, or set so (default_transaction_read_only). Set DATABASE_URL to the primary, or wait for the fail-over.';
const UNFIT: Readonly<Record<string, string>> = {
  '28P01': 'PostgreSQL refuses the user or the password in DATABASE_URL. Set another.',
  '28000': 'PostgreSQL does not let this user in from here: see its pg_hba.conf, or set another DATABASE_URL.',
  '3D000': 'PostgreSQL has no database of the name in DATABASE_URL. Make it (createdb), or set another.',
  '25006': READ_ONLY,
  '42P01': OTHER_TABLES,
  '42703': OTHER_TABLES,
  '42501': 'The user in DATABASE_URL may not do this in PostgreSQL. Grant it, or set another.',
};
/** As Node names what is wrong with a certificate, or with how the two sides speak TLS. */
const TLS = /CERT|^ERR_(TLS|SSL)_|^UNABLE_TO_/;
const NO_TLS =
  'The TLS of PostgreSQL does not fit: renew its certificate, or set sslmode and sslrootcert in DATABASE_URL so that it is trusted under this host name.';
/** As against a socket, which is connected to. */
const OF_A_FILE = /^E[A-Z]+: .*, (open|read)\b/;
const NO_FILE = 'A file that DATABASE_URL names (sslrootcert, sslcert, sslkey) cannot be read. Put it there, or name another.';
const NO_PASSWORD =
  'PostgreSQL asks for a password in a way that DATABASE_URL does not serve. Set the password in it (postgres://user:password@host/database).';
const LOST =
  /^(Connection terminated|Client (has encountered|was closed)|Query read timeout|timeout exceeded|timeout expired|The server does not)/;

/** What an error of PostgreSQL or of its driver means; one that means nothing to us is given back as it is. */
export function postgresError(error: unknown): unknown {
  const { code, message } = errorFields(error);
  if (typeof code !== 'string') {
    if (message.startsWith('SASL: ')) return new UnfitDatabaseError(NO_PASSWORD, { cause: error });
    return LOST.test(message) ? new DatabaseAwayError(error) : error;
  }
  if (TLS.test(code)) return new UnfitDatabaseError(NO_TLS, { cause: error });
  if (OF_A_FILE.test(message)) return new UnfitDatabaseError(NO_FILE, { cause: error });
  // SQLSTATEs have five characters; those of the system are words, such as ECONNREFUSED; ERR_… is a fault of a program.
  if (/^E(?!RR_)[A-Z_]+$/.test(code) || PASSING.test(code)) return new DatabaseAwayError(error);
  const kind = Object.hasOwn(KINDS, code) ? KINDS[code as keyof typeof KINDS] : undefined; // Just looked up.
  if (kind !== undefined) return new ConstraintError(kind, constraintOf(error as DatabaseError), error); // Only the server has these codes.
  const unfit = UNFIT[code];
  return unfit === undefined ? error : new UnfitDatabaseError(unfit, { cause: error });
}

/** The rule that a column be set has no name of its own. */
function constraintOf({ constraint, table, column }: DatabaseError): string | undefined {
  return constraint ?? (table !== undefined && column !== undefined ? `${table}_${column}` : undefined);
}
