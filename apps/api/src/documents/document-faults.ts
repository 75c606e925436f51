import { JobNotFoundError, parseJobId, toMs, type Job, type JobStatus } from '@antrean/jobs';
import { decodeTime } from 'ulid';
import type { Links } from '../http/links.js';
import { ProblemError } from '../http/problem-error.js';
import type { DocumentKind } from './document-kind.js';

/** For so long after its retention a document is told to be gone; after that it is as unknown as any id that never was. */
const REMEMBERED_MS = toMs('365d');

/** Of a job that ended, and not well. */
export function fileNotMade({ noun, path }: DocumentKind, job: Job, links: Links): ProblemError {
  const advice = `Ask for it anew (POST /${path}), or let the job run again (POST /jobs/${job.jobId}/replay).`;
  return new ProblemError('file_not_made', `There is no ${noun}: its job ${endOf(job)}. ${advice}`, {
    members: membersOf(job, links),
  });
}

/** Of a job that has made its file, which somebody has removed since. */
export function fileGone({ noun }: DocumentKind, job: Job, links: Links, cause: Error): ProblemError {
  const advice = `Let the job make it again (POST /jobs/${job.jobId}/replay).`;
  return new ProblemError('file_gone', `The file of the ${noun} was removed from the storage. ${advice}`, {
    members: membersOf(job, links),
    cause,
  });
}

/** Of a job that is not there: an id tells when it was made, and so whether its retention may be over. */
export function notFound(
  { noun, path, definition }: DocumentKind,
  jobId: string,
  retentionMs: number,
  links: Links,
): ProblemError | JobNotFoundError {
  const id = parseJobId(jobId);
  const ageMs = id?.type === definition.type ? Date.now() - decodeTime(id.ulid) : 0;
  if (ageMs <= retentionMs || ageMs > retentionMs + REMEMBERED_MS) return new JobNotFoundError(jobId);
  const detail = `The ${noun} is no longer kept: the retention of its job is over. Ask for it anew (POST /${path}).`;
  return new ProblemError('file_gone', detail, { members: membersOf({ jobId, status: null }, links) });
}

function endOf({ status, error }: Job): string {
  if (status === 'cancelled') return 'was cancelled';
  if (status === 'expired') return 'expired before it could run';
  return `failed: ${error?.message.replace(/\.$/, '') ?? status}`;
}

function membersOf({ jobId, status }: { readonly jobId: string; readonly status: JobStatus | null }, links: Links) {
  return { job_id: jobId, job_status: status, links: { self: links.job(jobId) } };
}
