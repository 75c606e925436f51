import { Inject, Injectable } from '@nestjs/common';
import { QueueUnavailableError } from '@antrean/jobs';
import type { Logger } from '@antrean/platform';
import type { RequestContext } from '../http/request-context.js';
import { API_LOG } from '../tokens.js';

/** What was done, as a word that stays. */
export type Act = 'job.cancel' | 'job.replay' | 'job.delete' | 'dead-letters.replay' | 'dead-letters.delete';

/** What an act came to: its answer, and what of it is to be kept; undefined when it changed nothing. */
export interface Done<T> {
  readonly answer: T;
  readonly about: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Says who did what and when: a log line for every act that changed something, or may have. It is written whatever the level of
 * the log. Acts that were refused are in the access log.
 */
@Injectable()
export class AuditLog {
  private readonly log: Logger;

  constructor(@Inject(API_LOG) log: Logger) {
    this.log = log.child({}, { level: 'info' });
  }

  /**
   * Does something to a job and notes it. What is kept about it holds no payloads.
   * @param jobId undefined where the job is made by the act: the context has its id then.
   * @param known what is to be kept whatever it comes to.
   */
  async act<T>(
    act: Act,
    jobId: string | undefined,
    context: RequestContext,
    work: () => Promise<Done<T>>,
    known: object = {},
  ): Promise<T> {
    try {
      const { answer, about } = await work();
      context.jobId = jobId ?? context.jobId;
      if (about !== undefined) this.note(act, context.jobId, context, { ...known, ...about });
      return answer;
    } catch (error) {
      if (error instanceof QueueUnavailableError && error.outcome === 'unknown')
        this.note(act, jobId ?? context.jobId, context, { ...known, outcome: 'unknown' });
      throw error;
    }
  }

  private note(act: Act, jobId: string | undefined, { keyName, requestId, trace }: RequestContext, about: object): void {
    const fields = {
      audit: act,
      job_id: jobId ?? null,
      api_key: keyName ?? null,
      request_id: requestId,
      trace_id: trace.traceId,
    };
    this.log.info({ ...fields, ...about }, 'audit');
  }
}
