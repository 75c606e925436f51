import { JOB_STATUSES, parseJobId, type JobStatus } from '@antrean/jobs';
import { ApiProperty } from '@nestjs/swagger';
import type { Links } from '../http/links.js';
import { NullableTime, NullableWhole, OneOf, Text } from '../http/view-fields.js';
import { JobLinks } from './submitted-job.view.js';

/** What became of a job that was acted on. */
export class ChangedJobView {
  @Text({ example: 'email.send_01JDVZ8XQ4T4Y8Q7M5K3N2P1R0' }) readonly job_id!: string;
  @Text({ example: 'email.send' }) readonly type!: string;
  @OneOf(JOB_STATUSES, { example: 'cancelled' }) readonly status!: JobStatus;
  @NullableTime({ description: 'When the running job was first asked to stop; null for a job that does not run.' })
  readonly cancel_requested_at!: string | null;
  @NullableWhole({ description: 'How often it was replayed by now; null in the answer to a cancel.' })
  readonly replays!: number | null;
  @ApiProperty({ type: JobLinks }) readonly links!: JobLinks;
}

interface Change {
  readonly jobId: string;
  readonly status: JobStatus;
  readonly cancelRequestedAt?: Date | null;
  readonly replays?: number;
}

export function changedJobView({ jobId, status, cancelRequestedAt, replays }: Change, links: Links): ChangedJobView {
  return {
    job_id: jobId,
    type: parseJobId(jobId)?.type ?? '',
    status,
    cancel_requested_at: cancelRequestedAt?.toISOString() ?? null,
    replays: replays ?? null,
    links: { self: links.job(jobId) },
  };
}
