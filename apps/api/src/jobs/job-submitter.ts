import { Injectable } from '@nestjs/common';
import {
  DuplicateJobError,
  QueueService,
  QueueUnavailableError,
  type EnqueueOptions,
  type EnqueuedJob,
  type JobDefinition,
} from '@antrean/jobs';
import { formatTraceparent } from '@antrean/platform';
import type { RequestContext } from '../http/request-context.js';
import type { SubmitRequest } from './submit-request.js';
import { inTermsOfTheBody } from './in-terms-of-the-body.js';

/** One job to submit, and where in the request's body its payload stood (a JSON pointer). */
interface JobToSubmit {
  readonly definition: JobDefinition;
  readonly payload: object;
  readonly payloadAt: '' | '/payload';
  readonly options?: EnqueueOptions;
}

/** Hands a checked submit to the queue, with the request's id and trace; what is refused is told in terms of the request's body. */
@Injectable()
export class JobSubmitter {
  constructor(private readonly queue: QueueService) {}

  submit(job: JobToSubmit, request: SubmitRequest): Promise<EnqueuedJob> {
    const { definition, payload } = job;
    return this.told(job, request, this.queue.enqueue(definition, payload, optionsOf(job, request)));
  }

  /** What a repeat was answered the first time, before anything is done for it; undefined for the first of its Idempotency-Key, or without one. */
  async answeredBefore(job: JobToSubmit, request: SubmitRequest): Promise<EnqueuedJob | undefined> {
    const { onceKey } = request;
    if (onceKey === undefined) return undefined;
    const { definition, payload } = job;
    return this.told(job, request, this.queue.answeredBefore(definition, payload, { ...optionsOf(job, request), onceKey }));
  }

  private async told<T extends EnqueuedJob | undefined>(
    { payloadAt }: JobToSubmit,
    { context }: SubmitRequest,
    answer: Promise<T>,
  ): Promise<T> {
    try {
      const job = await answer;
      if (job !== undefined) context.jobId = job.jobId;
      return job;
    } catch (error) {
      if (error instanceof DuplicateJobError || error instanceof QueueUnavailableError) context.jobId = error.jobId;
      throw inTermsOfTheBody(error, payloadAt);
    }
  }
}

function optionsOf({ options }: JobToSubmit, { context, onceKey }: SubmitRequest): EnqueueOptions {
  return { ...options, ...originOf(context), ...(onceKey !== undefined && { onceKey }) };
}

/** Id and trace of a request, for the jobs that it brings. */
export function originOf({
  requestId,
  trace,
  tracestate,
}: RequestContext): Pick<EnqueueOptions, 'requestId' | 'traceparent' | 'tracestate'> {
  return { requestId, traceparent: formatTraceparent(trace), ...(tracestate !== undefined && { tracestate }) };
}
