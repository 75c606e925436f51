import type { JobStatus } from '@antrean/jobs';
import type { Links } from '../http/links.js';
import { ProblemError } from '../http/problem-error.js';

/** A file that a job makes. */
export interface MadeFile {
  /** To people. */
  readonly noun: string;
  /** The request that has it made anew, such as `POST /reports`. */
  readonly again: string;
}

/** The job of a file; `lost`: the queue does not have it any more, null: it never was, or its retention is over. */
export interface FileJob {
  readonly jobId: string;
  readonly status: JobStatus | 'lost' | null;
  /** The last one. */
  readonly error?: string | null;
}

/** Of a job that ended, and not well. */
export function fileNotMade(file: MadeFile, job: FileJob, links: Links, cause?: Error): ProblemError {
  return missing('file_not_made', `There is no ${file.noun}: its job ${endOf(job)}.`, file, job, links, cause);
}

/** Of a job that has made its file, which somebody has removed since. */
export function fileGone(file: MadeFile, job: FileJob, links: Links, cause: Error): ProblemError {
  return missing('file_gone', `The file of the ${file.noun} was removed from the storage.`, file, job, links, cause);
}

/** Of a job whose retention is over. */
export function fileNoLongerKept(file: MadeFile, jobId: string, links: Links): ProblemError {
  const what = `The ${file.noun} is no longer kept: the retention of its job is over.`;
  return missing('file_gone', what, file, { jobId, status: null }, links);
}

function endOf({ status, error }: FileJob): string {
  if (status === 'lost') return 'is lost';
  if (status === 'cancelled') return 'was cancelled';
  if (status === 'expired') return 'expired before it could run';
  return `failed: ${error?.replace(/\.$/, '') ?? status}`;
}

function missing(
  code: 'file_gone' | 'file_not_made',
  what: string,
  { again }: MadeFile,
  { jobId, status }: FileJob,
  links: Links,
  cause?: Error,
): ProblemError {
  const members = { job_id: jobId, job_status: status === 'lost' ? null : status, links: { self: links.job(jobId) } };
  return new ProblemError(code, `${what} Ask for it anew (${again}).`, { members, ...(cause !== undefined && { cause }) });
}
