import { Injectable } from '@nestjs/common';
import type { JobDefinition } from '../definition/job-definition.js';
import type { JobStatus } from '../definition/job-status.js';
import type { EnqueueOptions } from './enqueue-options.js';

/** The answer to an accepted submit. With `deduplicated` it describes the job that holds the dedupe key. */
export interface EnqueuedJob {
  readonly jobId: string;
  readonly type: string;
  readonly status: JobStatus;
  readonly traceId: string;
  readonly createdAt: Date;
  readonly deduplicated: boolean;
}

@Injectable()
export class QueueService {
  /**
   * Accepts a job: when the promise resolves, it is in Redis with everything that belongs to it.
   * @throws {InvalidPayloadError} {@link InvalidOptionsError} {@link PayloadTooLargeError} {@link DuplicateJobError} nothing was written
   * @throws {QueueUnavailableError} within 2 s when Redis does not answer
   */
  enqueue<P extends object>(_definition: JobDefinition<P>, _payload: P, _options: EnqueueOptions = {}): Promise<EnqueuedJob> {
    return Promise.reject(new Error('not built yet'));
  }
}
