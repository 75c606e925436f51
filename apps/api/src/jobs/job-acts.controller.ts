import { Body, Param, Res } from '@nestjs/common';
import { ControlService, UnknownJobTypeError } from '@antrean/jobs';
import type { Response } from 'express';
import { AuditLog } from '../audit/audit-log.js';
import { checkNoFields } from '../http/body-faults.js';
import { JsonResource } from '../http/json-resource.decorator.js';
import { Links } from '../http/links.js';
import { ProblemError } from '../http/problem-error.js';
import { Context, type RequestContext } from '../http/request-context.js';
import { changedJobView, type ChangedJobView } from './changed-job.view.js';
import { inTermsOfTheBody } from './in-terms-of-the-body.js';
import { CancelsJob, DeletesJob, ReplaysJob } from './job-acts.routes.js';
import { parseReplay } from './replay-job.body.js';

/** Interferes with single jobs. */
@JsonResource('jobs')
export class JobActsController {
  constructor(
    private readonly control: ControlService,
    private readonly audit: AuditLog,
    private readonly links: Links,
  ) {}

  @CancelsJob()
  async cancel(
    @Param('id') jobId: string,
    @Body() body: object,
    @Context() context: RequestContext,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ChangedJobView> {
    checkNoFields(body);
    const job = await this.audit.act('job.cancel', jobId, context, async () => {
      const answer = await this.control.cancel(jobId);
      return { answer, about: answer.changed ? { status: answer.status } : undefined };
    });
    if (job.status === 'processing') response.status(202);
    return changedJobView(job, this.links);
  }

  @ReplaysJob()
  async replay(
    @Param('id') jobId: string,
    @Body() body: object,
    @Context() context: RequestContext,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ChangedJobView> {
    const edit = parseReplay(body);
    const job = await this.audit.act('job.replay', jobId, context, async () => {
      const answer = await this.control.replay(jobId, edit).catch((error: unknown) => {
        throw inTermsOfTheReplay(error);
      });
      return { answer, about: { replays: answer.replays, payload_edited: edit.payload !== undefined } };
    });
    response.location(this.links.job(jobId));
    return changedJobView(job, this.links);
  }

  @DeletesJob()
  async remove(@Param('id') jobId: string, @Body() body: object, @Context() context: RequestContext): Promise<void> {
    checkNoFields(body);
    await this.audit.act('job.delete', jobId, context, async () => {
      await this.control.remove(jobId);
      return { answer: undefined, about: {} };
    });
  }
}

/** The body of a replay names no type: it is the job's. */
function inTermsOfTheReplay(error: unknown): unknown {
  if (!(error instanceof UnknownJobTypeError)) return inTermsOfTheBody(error, '/payload');
  const detail = `The type "${error.type}" is not defined here any more: the job can only be replayed as it was.`;
  return new ProblemError(error.code, detail, { errors: [{ pointer: '#/payload', detail: 'cannot be checked' }], cause: error });
}
