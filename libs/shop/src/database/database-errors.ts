import { errorFields } from '@antrean/platform';

/** Of SQLite and PostgreSQL. */
const FULL: ReadonlySet<string | number | undefined> = new Set(['SQLITE_FULL', '53100']);

/**
 * The database did not answer, is full, was busy for too long or broke off: it may pass, and trying again is right. Of a statement
 * that was under way it is unknown whether it was carried out.
 */
export class DatabaseAwayError extends Error {
  override readonly name = 'DatabaseAwayError';
  readonly code = 'database_away';

  constructor(cause: unknown) {
    const what = FULL.has(errorFields(cause).code) ? 'has no room left' : 'does not answer';
    super(`The database ${what}. Try again later.`, { cause });
  }
}

/**
 * The database is there, and this program cannot work on it; the message says what to do. It passes once somebody did that, or by
 * itself where the database is just being changed: whoever has work waits with it.
 */
export class UnfitDatabaseError extends Error {
  override readonly name = 'UnfitDatabaseError';
  readonly code = 'unfit_database';
}

/** Whether work fails for a reason that lies with the database alone, and is right to be tried again later. */
export function isDatabaseTrouble(error: unknown): error is DatabaseAwayError | UnfitDatabaseError {
  return error instanceof DatabaseAwayError || error instanceof UnfitDatabaseError;
}

/** A row would break a rule of its table. Nothing of the statement was done. */
export class ConstraintError extends Error {
  override readonly name = 'ConstraintError';
  readonly code = 'constraint_violated';

  /**
   * @param constraint its name, which is made of table and columns: `customers_email_key`. Undefined where the database does not say
   *   it: SQLite of foreign keys.
   */
  constructor(
    readonly kind: 'unique' | 'foreign_key' | 'check' | 'not_null',
    readonly constraint: string | undefined,
    cause: unknown,
  ) {
    super(`A row breaks the ${kind} rule ${constraint ?? 'of its table'}.`, { cause });
  }
}
