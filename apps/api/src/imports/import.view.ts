import { JOB_STATUSES, type Job, type JobStatus } from '@antrean/jobs';
import type { ImportState } from '@antrean/shop';
import type { Links } from '../http/links.js';
import { NullableText, NullableTime, OneOf, Text, Whole } from '../http/view-fields.js';

const EXAMPLE_ID = 'import.customers_01JDVZ8XQ4T4Y8Q7M5K3N2P1R0';

/** An import: how its job is, and how many rows it has written. */
export class ImportView {
  @Text({ example: EXAMPLE_ID }) readonly job_id!: string;
  @OneOf(JOB_STATUSES, { description: "The job's.", example: 'succeeded' }) readonly status!: JobStatus;
  @NullableText({ description: 'The owner.', example: 'ana' }) readonly user_id!: string | null;
  @Whole({ description: 'Rows read so far: those imported, updated and rejected together.', example: 3 }) readonly read!: number;
  @Whole({ description: 'Customers that are new.', example: 1 }) readonly imported!: number;
  @Whole({ description: 'Customers that were known by their e-mail.', example: 1 }) readonly updated!: number;
  @Whole({ description: 'Rows that could not be taken.', example: 1 }) readonly rejected!: number;
  @Whole({ description: 'How far in the file it is.', example: 120 }) readonly bytes_read!: number;
  @Whole({ description: 'Of the file; 0 before the import began.', example: 120 }) readonly bytes_total!: number;

  @NullableText({
    description: 'Absolute path of the rejected rows, as CSV; null while there are none.',
    example: `/imports/${EXAMPLE_ID}/rejects`,
  })
  readonly rejects_url!: string | null;

  @NullableTime({ description: "When the job ended, however it did. Its `error` is the job's." })
  readonly finished_at!: string | null;
}

const NOT_BEGUN = { read: 0, imported: 0, updated: 0, rejected: 0, bytesRead: 0, bytesTotal: 0 };

export function importView(job: Job, state: ImportState | undefined, links: Links): ImportView {
  const { read, imported, updated, rejected, bytesRead, bytesTotal } = state ?? NOT_BEGUN;
  return {
    job_id: job.jobId,
    status: job.status,
    user_id: job.userId,
    read,
    imported,
    updated,
    rejected,
    bytes_read: bytesRead,
    bytes_total: bytesTotal,
    rejects_url: rejected > 0 ? links.importRejects(job.jobId) : null,
    finished_at: job.finishedAt?.toISOString() ?? null,
  };
}
