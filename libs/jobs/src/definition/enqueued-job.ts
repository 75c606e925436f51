import type { JobStatus } from './job-status.js';

/** The answer to an accepted submit. With `deduplicated` it describes the job that holds the dedupe key. */
export interface EnqueuedJob {
  readonly jobId: string;
  readonly type: string;
  readonly status: JobStatus;
  readonly traceId: string;
  /** By Redis' clock. */
  readonly createdAt: Date;
  readonly deduplicated: boolean;
  /** This is the first answer to the once key, told again. */
  readonly repeated: boolean;
}
