import type { JobStatus } from '../definition/job-status.js';
import { statusOf } from './record.js';

/** Lets a submit be answered as it was answered first. */
export interface Once {
  readonly key: string;
  /** 32 hex digits: what was submitted; the same key with another is refused. */
  readonly hash: string;
  readonly ttlMs: number;
}

/** To a submit whose once key was used before. */
export type OnceReply =
  /** For the same. */
  | { readonly kind: 'once'; readonly answer: OnceAnswer }
  /** For something else. */
  | { readonly kind: 'once_mismatch'; readonly ulid: string };

/** The first answer to a submit, as it is kept under its once key; once.lua states the form. */
export interface OnceAnswer {
  /** False: the job was a duplicate, and `ulid` is the holder of its dedupe key. */
  readonly accepted: boolean;
  readonly ulid: string;
  /** As in that answer; undefined when the holder's record was gone. */
  readonly job: { readonly status: JobStatus; readonly createdAt: number; readonly traceId: string } | undefined;
}

/** @param reply as once.lua makes it. @throws {UnreadableRecordError} */
export function readAnswerAgain(reply: Buffer): OnceReply {
  const rest = reply.subarray(1);
  if (reply.toString('latin1', 0, 1) === 'M') return { kind: 'once_mismatch', ulid: rest.toString('latin1') };
  return { kind: 'once', answer: readOnceRecord(rest) };
}

function readOnceRecord(record: Buffer): OnceAnswer {
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
