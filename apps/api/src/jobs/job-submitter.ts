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

  async submit(
    { definition, payload, payloadAt, options }: JobToSubmit,
    { context, onceKey }: SubmitRequest,
  ): Promise<EnqueuedJob> {
    try {
      const job = await this.queue.enqueue(definition, payload, {
        ...options,
        ...originOf(context),
        ...(onceKey !== undefined && { onceKey }),
      });
      context.jobId = job.jobId;
      return job;
    } catch (error) {
      if (error instanceof DuplicateJobError || error instanceof QueueUnavailableError) context.jobId = error.jobId;
      throw inTermsOfTheBody(error, payloadAt);
    }
  }
}

/** Id and trace of a request, for the jobs that it brings. */
export function originOf({
  requestId,
  trace,
  tracestate,
}: RequestContext): Pick<EnqueueOptions, 'requestId' | 'traceparent' | 'tracestate'> {
  return { requestId, traceparent: formatTraceparent(trace), ...(tracestate !== undefined && { tracestate }) };
}
