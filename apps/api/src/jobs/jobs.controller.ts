import { Body, Param, Res } from '@nestjs/common';
import { SendEmail } from '@antrean/catalog';
import { JobCatalog, StatusService } from '@antrean/jobs';
import type { Response } from 'express';
import { JsonResource } from '../http/json-resource.decorator.js';
import { Links } from '../http/links.js';
import { ProblemError } from '../http/problem-error.js';
import { Context, type RequestContext } from '../http/request-context.js';
import { JobSubmitter } from './job-submitter.js';
import { jobView, type JobView } from './job.view.js';
import { DescribesJobById, DescribesSubmit, DescribesSubmitEmail } from './jobs.openapi.js';
import { ReadsJob, Submits } from './jobs.routes.js';
import { parseSubmission } from './submission.js';
import type { SubmittedJobView } from './submitted-job.view.js';

/** Submits jobs and shows them. */
@JsonResource('jobs')
export class JobsController {
  constructor(
    private readonly catalog: JobCatalog,
    private readonly submitter: JobSubmitter,
    private readonly status: StatusService,
    private readonly links: Links,
  ) {}

  @Submits()
  @DescribesSubmit()
  async submit(
    @Body() body: object,
    @Context() context: RequestContext,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SubmittedJobView> {
    const { type, payload, options } = parseSubmission(body);
    const definition = this.catalog.get(type);
    const job = await this.submitter.submit({ definition, payload, payloadAt: '/payload', options }, context);
    response.location(job.links.self);
    return job;
  }

  /** A typed shorthand: the body is the payload of `email.send`. */
  @Submits('email')
  @DescribesSubmitEmail()
  async submitEmail(
    @Body() payload: object,
    @Context() context: RequestContext,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SubmittedJobView> {
    const job = await this.submitter.submit({ definition: SendEmail, payload, payloadAt: '' }, context);
    response.location(job.links.self);
    return job;
  }

  @ReadsJob()
  @DescribesJobById()
  async get(@Param('id') jobId: string, @Context() context: RequestContext): Promise<JobView> {
    const job = await this.status.get(jobId, { reveal: context.mayManage });
    if (job === undefined) {
      throw new ProblemError('job_not_found', 'There is no such job: it never was, or its retention is over.');
    }
    context.jobId = job.jobId;
    return jobView(job, this.links);
  }
}
