import { Body, Param, Res } from '@nestjs/common';
import { ControlService, StatusService } from '@antrean/jobs';
import type { Response } from 'express';
import { AuditLog } from '../audit/audit-log.js';
import { checkNoFields } from '../http/body-faults.js';
import { JsonResource } from '../http/json-resource.decorator.js';
import { Links } from '../http/links.js';
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
    private readonly status: StatusService,
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
    context.jobId = jobId;
    checkNoFields(body);
    const { status } = await this.control.cancel(jobId);
    this.audit.note('job.cancel', context, { job_id: jobId, status });
    if (status === 'cancelled') return changedJobView({ jobId, status }, this.links);
    response.status(202);
    const job = await this.status.get(jobId);
    return changedJobView({ jobId, status, cancelRequestedAt: job?.cancelRequestedAt ?? null }, this.links);
  }

  @ReplaysJob()
  async replay(
    @Param('id') jobId: string,
    @Body() body: object,
    @Context() context: RequestContext,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ChangedJobView> {
    context.jobId = jobId;
    const edit = parseReplay(body);
    const { status, replays } = await this.control.replay(jobId, edit).catch((error: unknown) => {
      throw inTermsOfTheBody(error, '/payload');
    });
    this.audit.note('job.replay', context, { job_id: jobId, replays, payload_edited: edit.payload !== undefined });
    response.location(this.links.job(jobId));
    return changedJobView({ jobId, status, replays }, this.links);
  }

  @DeletesJob()
  async remove(@Param('id') jobId: string, @Body() body: object, @Context() context: RequestContext): Promise<void> {
    context.jobId = jobId;
    checkNoFields(body);
    await this.control.remove(jobId);
    this.audit.note('job.delete', context, { job_id: jobId });
  }
}
