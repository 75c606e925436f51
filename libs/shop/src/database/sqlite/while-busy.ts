import { setTimeout as pause } from 'node:timers/promises';
import { errorFields } from '@antrean/platform';
import { DatabaseAwayError } from '../database-errors.js';

/** How long a transaction waits for others to end their writing. */
const PATIENCE_MS = { patient: 60_000, usual: 5_000 };
/** Between two tries this process goes on with its other work. */
const REST_MS = 15;

/** Tries again while others write to the file. @throws {DatabaseAwayError} when they do for too long. */
export async function whileBusy<T>({ patient }: { readonly patient: boolean }, work: () => T | Promise<T>): Promise<T> {
  const giveUpAt = performance.now() + PATIENCE_MS[patient ? 'patient' : 'usual'];
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isBusy(error) || performance.now() > giveUpAt) throw error;
    }
    await pause(REST_MS);
  }
}

/** A full disk, say, is not waited for: nobody gives it back by ending a transaction. */
function isBusy(error: unknown): boolean {
  return error instanceof DatabaseAwayError && /^SQLITE_(BUSY|LOCKED|PROTOCOL)/.test(String(errorFields(error.cause).code));
}
