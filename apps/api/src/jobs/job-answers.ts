import { Injectable } from '@nestjs/common';
import { isFinal, type EnqueuedJob } from '@antrean/jobs';
import { IDEMPOTENT_REPLAYED } from '../http/idempotency-key.js';
import { Links } from '../http/links.js';
import { tellPreferences } from '../http/prefer.js';
import { JobWaits } from './job-waits.js';
import { jobView, type JobView } from './job.view.js';
import type { SubmitRequest } from './submit-request.js';
import { submittedJobView, type SubmittedJobView } from './submitted-job.view.js';

/** Answers submits as the contract says. */
@Injectable()
export class JobAnswers {
  constructor(
    private readonly waits: JobWaits,
    private readonly links: Links,
  ) {}

  /** 202 with what was accepted, its status being that of now after a wait; 200 with the job, for a client that waited until its end. */
  async answer(job: EnqueuedJob, { context, preferences, response }: SubmitRequest): Promise<SubmittedJobView | JobView> {
    const { mayRead, mayManage: reveal } = context;
    const waitMs = mayRead ? preferences.waitMs : undefined;
    const submitted = submittedJobView(job, this.links);
    response.location(submitted.links.self);
    if (job.repeated) response.set(IDEMPOTENT_REPLAYED);
    tellPreferences(response, { waitMs, respondAsync: preferences.respondAsync });
    const current = waitMs === undefined ? undefined : await this.waits.afterSubmit(job.jobId, response, { waitMs, reveal });
    if (current === undefined) return submitted;
    if (!isFinal(current.status)) return submittedJobView({ ...job, status: current.status }, this.links);
    response.status(200);
    return jobView(current, this.links);
  }
}
