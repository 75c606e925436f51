import { Body, HttpCode, Post, UseInterceptors, applyDecorators } from '@nestjs/common';
import { DeleteDeadLetters, ReplayDeadLetters, type DeadLettersPayload } from '@antrean/catalog';
import { JobCatalog, type JobDefinition } from '@antrean/jobs';
import { ApiBody, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AuditLog, type Act } from '../audit/audit-log.js';
import { NeedsScope } from '../auth/access.decorator.js';
import { JsonResource } from '../http/json-resource.decorator.js';
import { OptionalJsonBodyInterceptor } from '../http/json-body/optional-json-body.interceptor.js';
import type { JobView } from '../jobs/job.view.js';
import { DescribesSubmitAnswers } from '../jobs/jobs.openapi.js';
import { JobAnswers } from '../jobs/job-answers.js';
import { JobSubmitter } from '../jobs/job-submitter.js';
import { Submitting, type SubmitRequest } from '../jobs/submit-request.js';
import type { SubmittedJobView } from '../jobs/submitted-job.view.js';
import { parseDeadLetters } from './dead-letters.body.js';

const ActsOnDeadLetters = (act: string, summary: string) =>
  applyDecorators(
    Post(act),
    HttpCode(202),
    NeedsScope('manage'),
    UseInterceptors(OptionalJsonBodyInterceptor),
    ApiTags('dead letters'),
    ApiOperation({
      operationId: `${act}DeadLetters`,
      summary,
      description:
        'The answer is a job that goes through them, the oldest first, and tells its progress; its result is ' +
        '`{seen, matched, changed, refused}`. A body that narrows nothing has to say `"all": true`. Cancel it to stop it; cut off by a crash, it goes on where it was. Safe to repeat.',
    }),
    ApiBody({
      required: true,
      schema: { $ref: '#/components/schemas/DeadLettersBody' },
      examples: {
        all: { value: { all: true } },
        some: { value: { type: 'email.send', error_code: 'ECONNREFUSED', per_second: 50 } },
      },
    }),
    DescribesSubmitAnswers(),
  );

/** Lets many dead letters run again, or deletes them. */
@JsonResource('dead-letters')
export class DeadLettersController {
  constructor(
    private readonly catalog: JobCatalog,
    private readonly submitter: JobSubmitter,
    private readonly answers: JobAnswers,
    private readonly audit: AuditLog,
  ) {}

  @ActsOnDeadLetters('replay', 'Let dead letters run again')
  replay(@Body() body: object, @Submitting() request: SubmitRequest): Promise<SubmittedJobView | JobView> {
    return this.submit('dead-letters.replay', ReplayDeadLetters, body, request);
  }

  @ActsOnDeadLetters('delete', 'Delete dead letters')
  delete(@Body() body: object, @Submitting() request: SubmitRequest): Promise<SubmittedJobView | JobView> {
    return this.submit('dead-letters.delete', DeleteDeadLetters, body, request);
  }

  private async submit(
    act: Act,
    definition: JobDefinition<DeadLettersPayload>,
    body: object,
    request: SubmitRequest,
  ): Promise<SubmittedJobView | JobView> {
    const payload = parseDeadLetters(body);
    // Internal types have dead letters too.
    if (payload.type !== undefined) this.catalog.get(payload.type);
    const work = async () => {
      const answer = await this.submitter.submit({ definition, payload, payloadAt: '' }, request);
      return { answer, about: answer.repeated ? undefined : {} };
    };
    const job = await this.audit.act(act, undefined, request.context, work, { filter: payload });
    return this.answers.answer(job, request);
  }
}
