import { errorFields } from '@antrean/platform';
import { ConstraintError, DatabaseAwayError, UnfitDatabaseError } from '../database-errors.js';

/** By the first part of the code's name: others write, the disk is full or away. */
const PASSING = /^SQLITE_(BUSY|LOCKED|IOERR|FULL|PROTOCOL|INTERRUPT|NOMEM)/;
/** The file cannot be worked on, whoever tries. */
const UNFIT: Readonly<Record<string, string>> = {
  SQLITE_CANTOPEN:
    'The database file cannot be opened: see that this user may write to it and to its folder, or set DATABASE_URL.',
  SQLITE_READONLY: 'The database file cannot be written to: give this user the right to, on its folder too, or set DATABASE_URL.',
  SQLITE_NOTADB: 'The file that DATABASE_URL names is no SQLite database. Set another.',
  SQLITE_CORRUPT: 'The database file is damaged. Restore it from a backup.',
};

/** Has no code of its own. */
const OTHER_TABLES = /^(no such (table|column)|table \S+ has no column)/;
const OTHER_TABLES_ADVICE =
  'The database file lacks a table or a column of this version: run "npm run migrate" with this DATABASE_URL, or see what was done to it.';

/** What an error of SQLite means; one that means nothing to us is given back as it is. */
export function sqliteError(error: unknown): unknown {
  const { code: given, message } = errorFields(error);
  // The driver gives none to a failed opening.
  const code = message.startsWith('ConnectionFailed') ? 'SQLITE_CANTOPEN' : String(given);
  if (PASSING.test(code)) return new DatabaseAwayError(error);
  if (code.startsWith('SQLITE_CONSTRAINT')) return constraintError(message, error);
  if (OTHER_TABLES.test(message)) return new UnfitDatabaseError(OTHER_TABLES_ADVICE, { cause: error });
  const unfit = Object.entries(UNFIT).find(([prefix]) => code.startsWith(prefix));
  return unfit === undefined ? error : new UnfitDatabaseError(unfit[1], { cause: error });
}

function constraintError(message: string, cause: unknown): ConstraintError {
  const [, kind = '', place = ''] = /(UNIQUE|FOREIGN KEY|CHECK|NOT NULL) constraint failed(?:: (.+))?/.exec(message) ?? [];
  switch (kind) {
    case 'FOREIGN KEY':
      return new ConstraintError('foreign_key', undefined, cause);
    case 'CHECK':
      return new ConstraintError('check', place, cause);
    case 'NOT NULL':
      return new ConstraintError('not_null', nameOf(place), cause);
    default:
      return new ConstraintError('unique', nameOf(place), cause);
  }
}

/** `order_jobs.order_id, order_jobs.type` is the rule `order_jobs_order_id_type`. */
function nameOf(columns: string): string {
  const [first = '', ...others] = columns.split(', ');
  return [first.replace('.', '_'), ...others.map((column) => column.slice(column.indexOf('.') + 1))].join('_');
}
