import type { Job } from './job.js';

/** What no index serves: jobs are looked at one by one for it. */
export interface JobTraits {
  /** Code of the last error. */
  readonly errorCode?: string | undefined;
  readonly userId?: string | undefined;
  readonly tag?: string | undefined;
}

export function hasTraits(job: Job, { errorCode, userId, tag }: JobTraits): boolean {
  return (
    (errorCode === undefined || job.error?.code === errorCode) &&
    (userId === undefined || job.userId === userId) &&
    (tag === undefined || job.tags.includes(tag))
  );
}
