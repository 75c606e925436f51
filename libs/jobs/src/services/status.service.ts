import { Injectable } from '@nestjs/common';
import type { JobStatus } from '../definition/job-status.js';
import type { Job } from './job.js';

/** How many jobs of a type are in each status, and how long the oldest queued one has waited (null: none waits). */
export interface QueueDepth {
  readonly type: string;
  readonly counts: Readonly<Record<JobStatus, number>>;
  readonly oldestQueuedMs: number | null;
}

@Injectable()
export class StatusService {
  /** The job as it is now; undefined when there is none (never was, or its retention is over). */
  get(_jobId: string): Promise<Job | undefined> {
    return Promise.reject(new Error('not built yet'));
  }

  depth(_type: string): Promise<QueueDepth> {
    return Promise.reject(new Error('not built yet'));
  }
}
