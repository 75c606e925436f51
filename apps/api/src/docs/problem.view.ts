import { JOB_STATUSES, type JobStatus } from '@antrean/jobs';
import { ApiProperty } from '@nestjs/swagger';
import { NullableText, OneOf, Text } from '../http/view-fields.js';
import { PROBLEMS, type ProblemCode } from '../http/problem-codes.js';
import { JobLinks } from '../jobs/submitted-job.view.js';

/** One fault of a request. */
export class FaultView {
  @Text({ description: 'What is wrong and what would be right.' })
  readonly detail!: string;

  @ApiProperty({
    type: String,
    required: false,
    description: 'JSON pointer into the body, as a URI fragment.',
    example: '#/payload/to',
  })
  readonly pointer?: string;

  @ApiProperty({ type: String, required: false, description: 'Name of a query parameter.' })
  readonly parameter?: string;

  @ApiProperty({ type: String, required: false, description: 'Name of a header.' })
  readonly header?: string;
}

/** An error answer (RFC 9457). Decide by `code`; `detail` and `title` are for people. */
export class Problem {
  @Text({ description: 'urn:antrean:problem:<code>' })
  readonly type!: string;

  @Text()
  readonly title!: string;

  @ApiProperty({ type: 'integer', minimum: 400, maximum: 599 })
  readonly status!: number;

  @Text({ description: 'What is wrong and what to do.' })
  readonly detail!: string;

  @NullableText({ description: 'The path asked for.' })
  readonly instance!: string | null;

  @OneOf(Object.keys(PROBLEMS), { description: 'Stable.' })
  readonly code!: ProblemCode;

  @Text({ description: 'The same as detail.' })
  readonly error!: string;

  @ApiProperty({ type: [FaultView], description: 'At most 50.' })
  readonly errors!: readonly FaultView[];
}

/** A job stands in the way: it holds the dedupe key, is in a status that does not allow what was asked for, or has no file. */
export class JobProblem extends Problem {
  @Text({ description: 'That job.' })
  readonly job_id!: string;

  @ApiProperty({
    type: String,
    enum: [...JOB_STATUSES, null],
    nullable: true,
    description: 'Its status; null when it is no longer kept.',
  })
  readonly job_status!: JobStatus | null;

  @ApiProperty({ type: JobLinks })
  readonly links!: JobLinks;
}

/** The Idempotency-Key stands for another request. */
export class KeyReusedProblem extends Problem {
  @ApiProperty({ type: String, required: false, description: 'The job of that request.' })
  readonly job_id?: string;

  @ApiProperty({ type: String, required: false, description: 'The order of that request, where it brought one.' })
  readonly order_id?: string;

  @ApiProperty({ type: JobLinks, required: false })
  readonly links?: JobLinks;
}

/** The queue cannot be reached, takes no more for now, or no replica has confirmed a job. The members beyond those of every problem are for what writes. */
export class UnavailableProblem extends Problem {
  @ApiProperty({
    enum: ['not_written', 'unknown'],
    required: false,
    description:
      'Of a submit. Only not_written promises that nothing was written. Of a cancel, a replay or a delete: unknown when it may have been carried out.',
  })
  readonly outcome?: string;

  @ApiProperty({ type: String, required: false, description: 'Of a submit: the id the job has if it was accepted.' })
  readonly job_id?: string;
}
