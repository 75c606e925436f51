import { Injectable } from '@nestjs/common';
import { ImportCustomers } from '@antrean/catalog';
import type { EnqueuedJob } from '@antrean/jobs';
import { Storage, StorageNameError, StorageRefusedError, parseStorageName, type StorageName } from '@antrean/platform';
import { checkBody, invalidFields } from '../http/body-faults.js';
import { ProblemError } from '../http/problem-error.js';
import { JobSubmitter } from '../jobs/job-submitter.js';
import { ownerOption } from '../jobs/owner-option.js';
import type { SubmitRequest } from '../jobs/submit-request.js';
import { NamedImportBody } from './named-import.body.js';

/** Submits the import of a file that lies in the storage already. */
@Injectable()
export class NamedImports {
  constructor(
    private readonly submitter: JobSubmitter,
    private readonly storage: Storage,
  ) {}

  /**
   * @throws {ProblemError} `invalid_request`, `file_not_found`
   * @throws {StorageError} when it cannot be found out whether the file is there.
   */
  async submit(given: object, request: SubmitRequest): Promise<EnqueuedJob> {
    const { body: payload, faults } = checkBody(NamedImportBody, given, []);
    if (faults.length > 0) throw invalidFields(faults);
    const name = nameOf(payload.file_key);
    const job = { definition: ImportCustomers, payload, payloadAt: '', options: ownerOption(payload.user_id) } as const;
    // Of a repeat, the file may have been imported and deleted.
    const repeated = await this.submitter.answeredBefore(job, request);
    if (repeated !== undefined) return repeated;
    await this.find(name);
    return this.submitter.submit(job, request);
  }

  private async find(name: StorageName): Promise<void> {
    try {
      if ((await this.storage.stat(name)) !== undefined) return;
    } catch (error) {
      // A link, say.
      if (!(error instanceof StorageRefusedError)) throw error;
    }
    const detail =
      'The storage has no file of the name in file_key, or one that it does not hand out, such as a link. Put the file itself there ' +
      'first, and keep it until the import has ended.';
    throw new ProblemError('file_not_found', detail, { errors: [{ pointer: AT_FILE, detail: 'must be a file that is there' }] });
  }
}

const AT_FILE = '#/file_key';

function nameOf(text: string): StorageName {
  try {
    return parseStorageName(text);
  } catch (error) {
    if (error instanceof StorageNameError) throw invalidFields([{ pointer: AT_FILE, detail: error.message }]);
    throw error;
  }
}
