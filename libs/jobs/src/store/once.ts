import type { JobStatus } from '../definition/job-status.js';
import { statusOf } from './record.js';

/** The first answer to a submit, as it is kept under its once key; once.lua states the form. */
export interface OnceAnswer {
  /** False: the job was a duplicate, and `ulid` is the holder of its dedupe key. */
  readonly accepted: boolean;
  readonly ulid: string;
  /** As in that answer; undefined when the holder's record was gone. */
  readonly job: { readonly status: JobStatus; readonly createdAt: number; readonly traceId: string } | undefined;
}

/** @throws {UnreadableRecordError} */
export function readOnceRecord(record: Buffer): OnceAnswer {
  const letter = record.toString('latin1', 49, 50);
  return {
    accepted: record.toString('latin1', 22, 23) === 'a',
    ulid: record.toString('latin1', 23, 49),
    job:
      letter === '-'
        ? undefined
        : { status: statusOf(letter), createdAt: record.readUIntLE(50, 6), traceId: record.toString('hex', 56, 72) },
  };
}
