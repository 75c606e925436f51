import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from '@antrean/platform';
import type { RequestContext } from '../http/request-context.js';
import { API_LOG } from '../tokens.js';

/** What was done to a job, as a word that stays. */
export type Act = 'job.cancel' | 'job.replay' | 'job.delete';

/** Says who did what and when: a log line for every act that changed something, refused ones are in the access log. */
@Injectable()
export class AuditLog {
  constructor(@Inject(API_LOG) private readonly log: Logger) {}

  /** @param about what it was done to, and what of it matters; never payloads. */
  note(act: Act, { keyName, requestId, trace }: RequestContext, about: Readonly<Record<string, unknown>>): void {
    this.log.info({ audit: act, api_key: keyName ?? null, request_id: requestId, trace_id: trace.traceId, ...about }, 'audit');
  }
}
