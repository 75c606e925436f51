import type { IndexedStatus } from '../store/job-index.js';
import type { JobTraits } from './job-traits.js';

/**
 * Which jobs to list. Those that wait come with the soonest first, those that have finished with the latest first. Traits are
 * looked at job by job, and a page ends with the job that brings it to 4 MiB: it may hold fewer jobs than its limit, or none, and
 * still not be the last.
 */
export interface JobFilter extends JobTraits {
  readonly status: IndexedStatus;
  /** Of all types of the catalog where it is left out. */
  readonly type?: string | undefined;
  /** Of the time when the job is due, or finished; both included. */
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
}
