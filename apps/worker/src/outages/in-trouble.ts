import { PermanentError, Snooze, type JobContext } from '@antrean/jobs';
import { LastingStorageError, PassingStorageError } from '@antrean/platform';
import { isDatabaseTrouble } from '@antrean/shop';

const FIRST_DELAY_MS = 15_000;
/** So that the snoozes that a job has last for three days. */
const LONGEST_DELAY_MS = 300_000;

/**
 * For what a handler that works on the database and the storage may throw. It can do nothing about one that is away, full or unfit for
 * now, and waits for it without using an attempt, longer with each run. What the storage will refuse to the next run, too, buries the job.
 */
export function inTrouble({ run }: Pick<JobContext, 'run'>): (error: unknown) => never {
  return (error) => {
    if (isDatabaseTrouble(error) || error instanceof PassingStorageError) {
      throw new Snooze(`${Math.min(FIRST_DELAY_MS * 2 ** (run - 1), LONGEST_DELAY_MS)}ms`, error.message);
    }
    if (error instanceof LastingStorageError) throw new PermanentError(error.message, { code: error.code, cause: error });
    throw error;
  };
}
