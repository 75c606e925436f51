import { PermanentError } from '@antrean/jobs';
import { LastingStorageError } from '@antrean/platform';

/** For what a handler that writes a file may throw: a storage that will refuse the next run, too, buries the job. */
export function neverAgainWhenLasting(error: unknown): never {
  if (!(error instanceof LastingStorageError)) throw error;
  throw new PermanentError(error.message, { code: error.code, cause: error });
}
