import { endsWithin } from '../ends-within.js';
import type { Logger } from '../logging/logger.js';
import { StorageError } from './storage-errors.js';
import type { Storage } from './storage.js';

const LONGEST_MS = 2_000;
const MUTE = `The storage does not answer within ${LONGEST_MS / 1_000} s.`;

/** What was found out about the storage; `detail` says what is wrong. */
export interface StorageHealthReport {
  readonly write: boolean;
  readonly detail?: string;
}

/** Whether files can be written. */
export class StorageHealth {
  constructor(private readonly storage: Storage) {}

  /** Writes into the log when files cannot be written now. */
  async tell(logger: Logger): Promise<void> {
    const { write, detail } = await this.check();
    if (!write) logger.warn({ reason: detail }, 'files cannot be stored now, what needs them waits or is answered 503');
  }

  /** Never rejects; answers within two seconds, also while a shared file system hangs. */
  async check(): Promise<StorageHealthReport> {
    const timeOut = AbortSignal.timeout(LONGEST_MS);
    try {
      const isThere = await endsWithin(this.storage.check(timeOut), LONGEST_MS);
      return isThere ? { write: true } : { write: false, detail: MUTE };
    } catch (error) {
      if (error === timeOut.reason) return { write: false, detail: MUTE };
      return { write: false, detail: error instanceof StorageError ? error.message : 'The storage cannot be checked.' };
    }
  }
}
