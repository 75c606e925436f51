import { JobNotFoundError, parseJobId, toMs } from '@antrean/jobs';
import { decodeTime } from 'ulid';
import { fileNoLongerKept } from '../files/file-faults.js';
import type { Links } from '../http/links.js';
import type { ProblemError } from '../http/problem-error.js';
import type { DocumentKind } from './document-kind.js';

/** For so long after its retention a document is told to be gone; after that it is as unknown as any id that never was. */
const REMEMBERED_MS = toMs('365d');

/** Of a job that is not there: an id tells when it was made, and so whether its retention may be over. */
export function notFound(kind: DocumentKind, jobId: string, retentionMs: number, links: Links): ProblemError | JobNotFoundError {
  const id = parseJobId(jobId);
  const ageMs = id?.type === kind.definition.type ? Date.now() - decodeTime(id.ulid) : 0;
  if (ageMs <= retentionMs || ageMs > retentionMs + REMEMBERED_MS) return new JobNotFoundError(jobId);
  return fileNoLongerKept(kind, jobId, links);
}
