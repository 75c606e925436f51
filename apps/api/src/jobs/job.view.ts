import { JOB_STATUSES, jobJson, type Job, type JobStatus } from '@antrean/jobs';
import { ApiProperty } from '@nestjs/swagger';
import { documentKindOf } from '../documents/document-kind.js';
import { isPlainObject } from '../http/body-rules.js';
import type { Links } from '../http/links.js';
import {
  ANY_JSON,
  NotYet,
  NullableText,
  NullableTime,
  NullableWhole,
  OneOf,
  Seconds,
  Text,
  Time,
  Whole,
} from '../http/view-fields.js';
import { AttemptView } from './attempt.view.js';
import { ProgressView } from './progress.view.js';
import { JobLinks } from './submitted-job.view.js';

/** Why a job that does not run does not run. */
export class WaitingOnView {
  @Text({ description: 'schedule, backoff, no_worker or worker.', example: 'worker' })
  readonly reason!: string;

  @Text({ description: 'The same for people.' })
  readonly detail!: string;

  @NullableTime()
  readonly until!: string | null;

  @NullableWhole({ description: 'About which place in line it has, from 1.' })
  readonly position!: number | null;
}

/** Everything known about a job at one moment. */
export class JobView {
  @Text({ example: 'email.send_01JDVZ8XQ4T4Y8Q7M5K3N2P1R0' }) readonly job_id!: string;
  @Text({ example: 'email.send' }) readonly type!: string;
  @Whole({ description: 'Version of the payload, as the type had it at the submit.', example: 1 })
  readonly payload_version!: number;
  @OneOf(JOB_STATUSES, { example: 'succeeded' }) readonly status!: JobStatus;
  @Whole({ description: '0 to 9, 9 goes first.', example: 5 }) readonly priority!: number;
  @NotYet('The group it takes turns with.') readonly group!: null;
  @NullableText({ description: 'The owner label given at the submit.' }) readonly user_id!: string | null;
  @ApiProperty({ type: [String] }) readonly tags!: readonly string[];
  @ApiProperty({ type: 'object', additionalProperties: { type: 'string' } })
  readonly metadata!: Readonly<Record<string, string>>;
  @ApiProperty({
    anyOf: [
      { type: 'object', additionalProperties: true },
      { type: 'string', enum: ['[redacted]'] },
    ],
    description:
      'What was submitted. Sensitive fields read [redacted] to keys without the scope manage, and so does the whole payload ' +
      'when its type is none of those that this api knows.',
  })
  readonly payload!: unknown;
  @Whole({ description: 'The number of the latest run that counts against max_attempts; 0 before the first.', example: 1 })
  readonly attempt!: number;
  @Whole({ example: 5 }) readonly max_attempts!: number;
  @Whole({ description: 'Runs that ended because their worker was lost, or its event loop blocked.', example: 0 })
  readonly crashes!: number;
  @Seconds({ example: 30 }) readonly timeout_sec!: number;
  @Text({ description: '32 hex digits, constant over retries.' }) readonly trace_id!: string;
  @NullableText({ description: 'X-Request-Id of the submit.' }) readonly request_id!: string | null;
  @Time() readonly created_at!: string;
  @Time({ description: 'Not to start before.' }) readonly run_at!: string;
  @NullableTime({ description: 'Start of the latest run.' }) readonly started_at!: string | null;
  @NullableTime() readonly finished_at!: string | null;
  @NullableTime() readonly last_failed_at!: string | null;
  @NullableTime({ description: 'For a retrying job.' }) readonly next_attempt_at!: string | null;
  @NullableTime({ description: 'When it expires unless it is running then.' }) readonly expires_at!: string | null;
  @NullableTime({ description: 'When the running job was asked to stop.' }) readonly cancel_requested_at!: string | null;
  @ApiProperty({ type: ProgressView, nullable: true, description: 'How far the handler says it is.' })
  readonly progress!: ProgressView | null;
  @ApiProperty({
    ...ANY_JSON,
    description: 'What the handler returned; of a report or an export with its `url`, an absolute path.',
  })
  readonly result!: unknown;
  @NullableText({ description: 'The last error; null after success.' }) readonly error!: string | null;
  @NullableText({ description: 'Code of the last error.' }) readonly error_code!: string | null;
  @ApiProperty({ type: [AttemptView], description: 'The latest runs, oldest first, at most 50.' })
  readonly attempts!: readonly AttemptView[];
  @ApiProperty({ type: WaitingOnView, nullable: true, description: 'null for a job that runs or is finished.' })
  readonly waiting_on!: WaitingOnView | null;
  @NullableText() readonly dedupe_key!: string | null;
  @Whole({ example: 0 }) readonly replays!: number;
  @NullableText({ description: 'The worker of the current run.' }) readonly worker_id!: string | null;
  @ApiProperty({ type: JobLinks }) readonly links!: JobLinks;
}

export function jobView(job: Job, links: Links): JobView {
  return { ...jobJson(job), result: resultView(job, links), links: { self: links.job(job.jobId) } };
}

/** A result that names a file also says where to read it. */
function resultView({ jobId, type, result }: Job, links: Links): unknown {
  const kind = documentKindOf(type);
  return kind !== undefined && isPlainObject(result) ? { ...result, url: links.document(kind.path, jobId) } : (result ?? null);
}
