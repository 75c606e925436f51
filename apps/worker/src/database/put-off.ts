import { Snooze } from '@antrean/jobs';
import { isDatabaseTrouble } from '@antrean/shop';

const DELAY = '15s';

/**
 * For what a handler that works on the database may throw: the job can do nothing about a database that is away or unfit for now, and
 * waits for it without using an attempt.
 */
export function putOffInDatabaseTrouble(error: unknown): never {
  if (isDatabaseTrouble(error)) throw new Snooze(DELAY, error.message);
  throw error;
}
