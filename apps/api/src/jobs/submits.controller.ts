import { Body, Res } from '@nestjs/common';
import { SendEmail } from '@antrean/catalog';
import { JobCatalog, type EnqueuedJob } from '@antrean/jobs';
import type { Response } from 'express';
import { IDEMPOTENT_REPLAYED, OnceKey } from '../http/idempotency-key.js';
import { JsonResource } from '../http/json-resource.decorator.js';
import { Links } from '../http/links.js';
import { Prefers, tellPreferences, type Preferences } from '../http/prefer.js';
import { Context, type RequestContext } from '../http/request-context.js';
import { JobSubmitter } from './job-submitter.js';
import { JobWaits } from './job-waits.js';
import { jobView, type JobView } from './job.view.js';
import { DescribesSubmit, DescribesSubmitEmail } from './jobs.openapi.js';
import { Submits } from './jobs.routes.js';
import { parseSubmission } from './submission.js';
import { submittedJobView, type SubmittedJobView } from './submitted-job.view.js';

/** Submits jobs. */
@JsonResource('jobs')
export class SubmitsController {
  constructor(
    private readonly catalog: JobCatalog,
    private readonly submitter: JobSubmitter,
    private readonly waits: JobWaits,
    private readonly links: Links,
  ) {}

  @Submits()
  @DescribesSubmit()
  async submit(
    @Body() body: object,
    @OnceKey() onceKey: string | undefined,
    @Prefers() preferences: Preferences,
    @Context() context: RequestContext,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SubmittedJobView | JobView> {
    const { type, payload, options } = parseSubmission(body);
    const definition = this.catalog.get(type);
    const job = await this.submitter.submit({ definition, payload, payloadAt: '/payload', options, onceKey }, context);
    return this.answer(job, preferences, context, response);
  }

  /** A typed shorthand: the body is the payload of `email.send`. */
  @Submits('email')
  @DescribesSubmitEmail()
  async submitEmail(
    @Body() payload: object,
    @OnceKey() onceKey: string | undefined,
    @Prefers() preferences: Preferences,
    @Context() context: RequestContext,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SubmittedJobView | JobView> {
    const job = await this.submitter.submit({ definition: SendEmail, payload, payloadAt: '', onceKey }, context);
    return this.answer(job, preferences, context, response);
  }

  /** 202 with what was accepted; 200 with the job, for a client that waited until its end and may read it. */
  private async answer(
    job: EnqueuedJob,
    { respondAsync, ...preferred }: Preferences,
    { mayRead, mayManage: reveal }: RequestContext,
    response: Response,
  ): Promise<SubmittedJobView | JobView> {
    const waitMs = mayRead ? preferred.waitMs : undefined;
    const submitted = submittedJobView(job, this.links);
    response.location(submitted.links.self);
    if (job.repeated) response.set(IDEMPOTENT_REPLAYED);
    tellPreferences(response, { waitMs, respondAsync });
    const ended = waitMs === undefined ? undefined : await this.waits.end(job.jobId, response, { waitMs, reveal });
    if (ended === undefined) return submitted;
    response.status(200);
    return jobView(ended, this.links);
  }
}
