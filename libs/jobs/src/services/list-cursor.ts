import { createHash } from 'node:crypto';
import { InvalidOptionsError } from '../definition/errors.js';
import { parseJobId } from '../definition/job-id.js';
import type { IndexEntry } from '../store/job-index.js';
import type { JobFilter } from './job-filter.js';

/** What stands for the place behind an entry in the list of a filter: another list may not have that place. */
export function cursorOf({ at, ulid }: IndexEntry, filter: JobFilter): string {
  return Buffer.from(`${at} ${ulid} ${hashOf(filter)}`).toString('base64url');
}

/** @throws {InvalidOptionsError} when it is none of this filter */
export function parseCursor(cursor: string, filter: JobFilter): IndexEntry {
  const [at = '', ulid = '', hash, ...more] = Buffer.from(cursor, 'base64url').toString().split(' ');
  const id = parseJobId(`any_${ulid}`);
  if (!/^\d{1,15}$/.test(at) || id === undefined || more.length > 0) {
    throw refusal('must be the next_cursor of an earlier answer, as it was');
  }
  if (hash !== hashOf(filter))
    throw refusal('is that of another list: only the limit may differ from the request that it answered');
  return { at: Number(at), ulid: id.ulid };
}

function hashOf({ status, type, from, to, errorCode, userId, tag }: JobFilter): string {
  const text = JSON.stringify([status, type, from?.getTime(), to?.getTime(), errorCode, userId, tag]);
  return createHash('sha256').update(text).digest('base64url').slice(0, 8);
}

function refusal(detail: string): InvalidOptionsError {
  return new InvalidOptionsError([{ pointer: '/cursor', detail }]);
}
