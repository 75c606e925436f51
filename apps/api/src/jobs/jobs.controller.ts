import { Get, Param, Res } from '@nestjs/common';
import { JobNotFoundError, StatusService } from '@antrean/jobs';
import type { Response } from 'express';
import { NeedsScope } from '../auth/access.decorator.js';
import { JsonResource } from '../http/json-resource.decorator.js';
import { Links } from '../http/links.js';
import { Prefers, tellPreferences, type Preferences } from '../http/prefer.js';
import { Context, type RequestContext } from '../http/request-context.js';
import { jobLogsView, type JobLogsView } from './job-logs.view.js';
import { JobWaits } from './job-waits.js';
import { jobView, type JobView } from './job.view.js';
import { DescribesJobById, DescribesJobLogs } from './jobs.openapi.js';
import { ReadsJob } from './jobs.routes.js';

/** Shows jobs. */
@JsonResource('jobs')
export class JobsController {
  constructor(
    private readonly status: StatusService,
    private readonly waits: JobWaits,
    private readonly links: Links,
  ) {}

  @ReadsJob()
  @DescribesJobById()
  async get(
    @Param('id') jobId: string,
    @Prefers() { waitMs }: Preferences,
    @Context() context: RequestContext,
    @Res({ passthrough: true }) response: Response,
  ): Promise<JobView> {
    const reveal = context.mayManage;
    const job = await (waitMs === undefined
      ? this.status.get(jobId, { reveal })
      : this.waits.wait(jobId, response, { waitMs, reveal }));
    if (job === undefined) throw new JobNotFoundError(jobId);
    context.jobId = job.jobId;
    tellPreferences(response, { waitMs });
    return jobView(job, this.links);
  }

  @Get(':id/logs')
  @NeedsScope('read')
  @DescribesJobLogs()
  async logs(@Param('id') jobId: string, @Context() context: RequestContext): Promise<JobLogsView> {
    const lines = await this.status.logs(jobId);
    if (lines === undefined) throw new JobNotFoundError(jobId);
    context.jobId = jobId;
    return jobLogsView(lines);
  }
}
