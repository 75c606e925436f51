import type { JobCatalog } from '../definition/job-catalog.js';
import { REDACTED, redact } from '../definition/redact.js';
import type { Job } from './job.js';

/**
 * A job without what is sensitive in its payload. The whole payload is, where its type is not in this application's catalog:
 * nobody here knows better.
 */
export function redacted(catalog: JobCatalog, job: Job): Job {
  const definition = catalog.find(job.type);
  return { ...job, payload: definition === undefined ? REDACTED : redact(definition, job.payload) };
}
