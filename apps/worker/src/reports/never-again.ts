import { PermanentError } from '@antrean/jobs';
import { LastingStorageError } from '@antrean/platform';
import { UnfitDatabaseError } from '@antrean/shop';

/** For what a handler that reads the database and writes a file may throw: what will refuse the next run, too, buries the job. */
export function neverAgainWhenLasting(error: unknown): never {
  if (!(error instanceof LastingStorageError || error instanceof UnfitDatabaseError)) throw error;
  throw new PermanentError(error.message, { code: error.code, cause: error });
}
