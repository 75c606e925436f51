import { endsWithin } from '../ends-within.js';
import { StorageError } from './storage-errors.js';
import type { Storage } from './storage.js';

const LONGEST_MS = 2_000;

/** What was found out about the storage; `detail` says what is wrong. */
export interface StorageHealthReport {
  readonly write: boolean;
  readonly detail?: string;
}

/** Whether files can be written. */
export class StorageHealth {
  constructor(private readonly storage: Storage) {}

  /** Never rejects; answers within two seconds, also while a shared file system hangs. */
  async check(): Promise<StorageHealthReport> {
    try {
      const isThere = await endsWithin(this.storage.check(AbortSignal.timeout(LONGEST_MS)), LONGEST_MS);
      return isThere ? { write: true } : { write: false, detail: `The storage does not answer within ${LONGEST_MS / 1_000} s.` };
    } catch (error) {
      return { write: false, detail: error instanceof StorageError ? error.message : 'The storage cannot be checked.' };
    }
  }
}
