import { Injectable } from '@nestjs/common';
import {
  DuplicateJobError,
  InvalidOptionsError,
  InvalidPayloadError,
  QueueService,
  QueueUnavailableError,
  type EnqueueOptions,
  type JobDefinition,
  type Violation,
} from '@antrean/jobs';
import { formatTraceparent } from '@antrean/platform';
import { Links } from '../http/links.js';
import type { RequestContext } from '../http/request-context.js';
import { submittedJobView, type SubmittedJobView } from './submitted-job.view.js';

/** One job to submit, and where in the request's body its payload stood (a JSON pointer). */
interface JobToSubmit {
  readonly definition: JobDefinition;
  readonly payload: object;
  readonly payloadAt: '' | '/payload';
  readonly options?: EnqueueOptions;
}

/** Hands a checked submit to the queue, with the request's id and trace, and answers as the contract says. */
@Injectable()
export class JobSubmitter {
  constructor(
    private readonly queue: QueueService,
    private readonly links: Links,
  ) {}

  async submit({ definition, payload, payloadAt, options }: JobToSubmit, context: RequestContext): Promise<SubmittedJobView> {
    try {
      const job = await this.queue.enqueue(definition, payload, { ...options, ...originOf(context) });
      context.jobId = job.jobId;
      return submittedJobView(job, this.links);
    } catch (error) {
      if (error instanceof DuplicateJobError || error instanceof QueueUnavailableError) context.jobId = error.jobId;
      throw inTermsOfTheBody(error, payloadAt);
    }
  }
}

function originOf({ requestId, trace, tracestate }: RequestContext): EnqueueOptions {
  return { requestId, traceparent: formatTraceparent(trace), ...(tracestate !== undefined && { tracestate }) };
}

/** The queue speaks of its own arguments; the client knows only its body. */
function inTermsOfTheBody(error: unknown, payloadAt: string): unknown {
  if (error instanceof InvalidPayloadError) {
    return new InvalidPayloadError(
      error.type,
      moved(error.violations, (pointer) => `${payloadAt}${pointer}`),
    );
  }
  if (error instanceof InvalidOptionsError) {
    return new InvalidOptionsError(moved(error.violations, (pointer) => `/options${pointer.replace(/^\/\w+/, toFieldName)}`));
  }
  return error;
}

function moved(violations: readonly Violation[], move: (pointer: string) => string): readonly Violation[] {
  return violations.map(({ pointer, detail }) => ({ pointer: move(pointer), detail }));
}

/** `/timeoutMs` is `/timeout_sec` to the client. */
function toFieldName(optionName: string): string {
  return optionName.replace(/Ms$/, 'Sec').replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
