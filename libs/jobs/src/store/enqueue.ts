import { ULID_BYTES } from '../definition/job-id.js';
import { MAX_EVENTS } from './bounds.js';
import { readAnswerAgain, type Once, type OnceReply } from './once.js';
import { UnreadableRecordError, decodeHeader, type Header } from './record.js';
import { asArray, asBuffer, asNumber } from './reply.js';
import type { Link } from './link.js';
import { Script } from './script.js';

const script = new Script('enqueue');

export interface NewJob {
  readonly ulid: string;
  readonly when: { readonly delayMs: number } | { readonly atMs: number } | undefined;
  /** It may wait for so long. */
  readonly expiresInMs?: number | undefined;
  /** For the dedupe policy `ttl`; 0 with any other. */
  readonly dedupeTtlMs: number;
  readonly once?: Once | undefined;
  /** From `flagsOf`. */
  readonly flags: number;
  /** From `encodeNewRecord`. */
  readonly record: Buffer;
}

/** What became of one job of the call. A holder whose record is gone already has no header. */
export type Enqueued =
  | { readonly kind: 'accepted'; readonly status: 'queued' | 'scheduled'; readonly createdAt: number }
  /** The same ulid was accepted before: this is the call sent again. */
  | { readonly kind: 'known'; readonly header: Header }
  /** It was to run, or to expire, more than a year from now. */
  | { readonly kind: 'too_late' }
  | { readonly kind: 'expires_before_run' }
  /** Its end is to be told, and as many ends of the type as may be wait for that already. */
  | { readonly kind: 'events_full' }
  | { readonly kind: 'duplicate'; readonly ulid: string; readonly header: Header | undefined }
  | OnceReply;

export interface EnqueueReply {
  /** In the order of the jobs. */
  readonly answers: readonly Enqueued[];
  /** A worker was woken. */
  readonly woke: boolean;
}

/** @param maxEvents for tests: as many ends of the type may wait to be told. */
export async function enqueue(link: Link, type: string, jobs: readonly NewJob[], maxEvents = MAX_EVENTS): Promise<EnqueueReply> {
  const keys = link.keys(type);
  const [now, woke, ...answers] = asArray(
    await script.run(
      link.redis,
      [keys.clock, keys.seq, keys.scheduled, keys.idle, keys.expiring, keys.leases, keys.ghosts, ...keys.ready],
      [packJobs(jobs), maxEvents],
    ),
  );
  const nowMs = asNumber(now);
  return {
    answers: jobs.map((job, index) => readAnswer(job, asBuffer(answers[index]), nowMs)),
    woke: asNumber(woke) === 1,
  };
}

/** Ulid, flags, lengths of the extras and of the record. */
const HEAD_BYTES = ULID_BYTES + 1 + 2 + 4;

/** Jobs in the form that enqueue.lua takes, one behind the other: one argument costs both sides less than three a job. */
function packJobs(jobs: readonly NewJob[]): Buffer {
  const extras = jobs.map(extrasOf);
  const total = jobs.reduce(
    (sum, { record }, index) => sum + HEAD_BYTES + Buffer.byteLength(extras[index] ?? '') + record.length,
    0,
  );
  const packed = Buffer.allocUnsafe(total);
  let at = 0;
  jobs.forEach(({ ulid, flags, record }, index) => {
    const extrasBytes = packed.write(extras[index] ?? '', at + HEAD_BYTES);
    packed.write(ulid, at, 'latin1');
    packed.writeUInt8(flags, at + ULID_BYTES);
    packed.writeUInt16LE(extrasBytes, at + ULID_BYTES + 1);
    packed.writeUInt32LE(record.length, at + ULID_BYTES + 3);
    record.copy(packed, at + HEAD_BYTES + extrasBytes);
    at += HEAD_BYTES + extrasBytes + record.length;
  });
  return packed;
}

/** What most jobs have none of, as one text. */
function extrasOf({ when, expiresInMs = 0, dedupeTtlMs, once }: NewJob): string {
  if (when === undefined && expiresInMs === 0 && dedupeTtlMs === 0 && once === undefined) return '';
  return `${whenText(when)} ${expiresInMs} ${dedupeTtlMs} ${once?.ttlMs ?? 0} ${once?.hash ?? '-'} ${once?.key ?? ''}`;
}

function whenText(when: NewJob['when']): string {
  if (when === undefined) return '-';
  return 'delayMs' in when ? `+${when.delayMs}` : `@${when.atMs}`;
}

function readAnswer(job: NewJob, answer: Buffer, now: number): Enqueued {
  if (answer.length === 0) return { kind: 'accepted', status: isLater(job.when, now) ? 'scheduled' : 'queued', createdAt: now };
  const letter = answer.toString('latin1', 0, 1);
  const rest = answer.subarray(1);
  switch (letter) {
    case 'K':
      return { kind: 'known', header: decodeHeader(rest) };
    case 'L':
      return { kind: 'too_late' };
    case 'X':
      return { kind: 'expires_before_run' };
    case 'W':
      return { kind: 'events_full' };
    case 'D': {
      const header = rest.length > ULID_BYTES ? decodeHeader(rest.subarray(ULID_BYTES)) : undefined;
      return { kind: 'duplicate', ulid: rest.toString('latin1', 0, ULID_BYTES), header };
    }
    case 'O':
    case 'M':
      return readAnswerAgain(answer);
    default:
      throw new UnreadableRecordError(`"${letter}" is no answer to an enqueue.`);
  }
}

function isLater(when: NewJob['when'], now: number): boolean {
  if (when === undefined) return false;
  return 'delayMs' in when ? when.delayMs > 0 : when.atMs > now;
}
