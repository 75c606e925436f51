import { Body } from '@nestjs/common';
import { SendEmail } from '@antrean/catalog';
import { JobCatalog } from '@antrean/jobs';
import { JsonResource } from '../http/json-resource.decorator.js';
import { HttpRequestOption } from './http-request-option.js';
import { JobAnswers } from './job-answers.js';
import { JobSubmitter } from './job-submitter.js';
import type { JobView } from './job.view.js';
import { DescribesSubmit, DescribesSubmitEmail } from './jobs.openapi.js';
import { Submits } from './jobs.routes.js';
import { parseSubmission } from './submission.js';
import { Submitting, type SubmitRequest } from './submit-request.js';
import type { SubmittedJobView } from './submitted-job.view.js';
import { WebhookOption } from './webhook-option.js';

/** Submits jobs. */
@JsonResource('jobs')
export class SubmitsController {
  constructor(
    private readonly catalog: JobCatalog,
    private readonly submitter: JobSubmitter,
    private readonly answers: JobAnswers,
    private readonly webhooks: WebhookOption,
    private readonly requests: HttpRequestOption,
  ) {}

  @Submits()
  @DescribesSubmit()
  async submit(@Body() body: object, @Submitting() request: SubmitRequest): Promise<SubmittedJobView | JobView> {
    const { type, payload, webhook, ...submission } = parseSubmission(body);
    const definition = this.catalog.getOpen(type);
    const options = {
      ...submission.options,
      ...this.webhooks.of(webhook, request.context),
      ...this.requests.of(definition, payload, request.context),
    };
    const job = await this.submitter.submit({ definition, payload, payloadAt: '/payload', options }, request);
    return this.answers.answer(job, request);
  }

  /** A typed shorthand: the body is the payload of `email.send`. */
  @Submits('email')
  @DescribesSubmitEmail()
  async submitEmail(@Body() payload: object, @Submitting() request: SubmitRequest): Promise<SubmittedJobView | JobView> {
    const job = await this.submitter.submit({ definition: SendEmail, payload, payloadAt: '' }, request);
    return this.answers.answer(job, request);
  }
}
