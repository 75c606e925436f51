import { Injectable } from '@nestjs/common';
import { ImportCustomers } from '@antrean/catalog';
import { JobNotFoundError, StatusService, type Job } from '@antrean/jobs';
import { Imports, type ImportReject, type ImportState } from '@antrean/shop';

/** Reads imports: their jobs, and what these wrote into the database. */
@Injectable()
export class ImportReader {
  constructor(
    private readonly status: StatusService,
    private readonly imports: Imports,
  ) {}

  /**
   * The job, and how far it is; undefined before it began. The job is read first: what it has ended with is there then.
   * @throws {JobNotFoundError} also for a job that is no import.
   */
  async read(jobId: string): Promise<{ readonly job: Job; readonly state: ImportState | undefined }> {
    const job = await this.status.get(jobId);
    if (job?.type !== ImportCustomers.type) throw new JobNotFoundError(jobId);
    return { job, state: await this.imports.get(jobId) };
  }

  /** Rows that were not imported so far, in the order of the file. */
  rejects(jobId: string): AsyncIterable<ImportReject> {
    return this.imports.rejects(jobId);
  }
}
