import { JOB_STATUSES, type EnqueuedJob, type JobStatus } from '@antrean/jobs';
import { ApiProperty } from '@nestjs/swagger';
import type { Links } from '../http/links.js';
import { Flag, OneOf, Text, Time } from '../http/view-fields.js';

/** Where a job can be read. */
export class JobLinks {
  @Text({ description: 'Absolute path of the job.', example: '/jobs/email.send_01JDVZ8XQ4T4Y8Q7M5K3N2P1R0' })
  readonly self!: string;
}

/** The answer to an accepted submit. */
export class SubmittedJobView {
  @Text({ example: 'email.send_01JDVZ8XQ4T4Y8Q7M5K3N2P1R0' })
  readonly job_id!: string;

  @Text({ example: 'email.send' })
  readonly type!: string;

  @OneOf(JOB_STATUSES, { example: 'queued' })
  readonly status!: JobStatus;

  @Text({ description: '32 hex digits.', example: '0af7651916cd43dd8448eb211c80319c' })
  readonly trace_id!: string;

  @Time({ example: '2030-01-31T08:00:00.000Z' })
  readonly created_at!: string;

  @Flag({ description: 'True when this is the job that already held the dedupe key: nothing new was made.', example: false })
  readonly deduplicated!: boolean;

  @ApiProperty({ type: JobLinks })
  readonly links!: JobLinks;
}

export function submittedJobView(job: EnqueuedJob, links: Links): SubmittedJobView {
  return {
    job_id: job.jobId,
    type: job.type,
    status: job.status,
    trace_id: job.traceId,
    created_at: job.createdAt.toISOString(),
    deduplicated: job.deduplicated,
    links: { self: links.job(job.jobId) },
  };
}
