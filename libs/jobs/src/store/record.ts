import { DEDUPE_POLICIES, type DedupePolicy } from '../definition/job-definition.js';
import type { JobStatus } from '../definition/job-status.js';
import { endsOf, type Webhook } from '../definition/webhook.js';

/**
 * A job's record, little endian. The state (bytes 1–56) is what scripts rewrite, the rest stays as it was submitted.
 *
 * | byte | size | field |
 * |---|---|---|
 * | 0 | 1 | layout, now 1 |
 * | 1 | 1 | status letter |
 * | 2 | 1 | flags: 1 asked to stop, 2 has a side hash, 4 has a log, 8 is a suspect, 16 somebody waits for its end, 32 has a webhook,<br>64 a run of it has ended since it was submitted or replayed |
 * | 3 | 2 | attempt |
 * | 5 | 2 | runs |
 * | 7 | 1 | crashes |
 * | 8 | 1 | crashes in all |
 * | 9 | 2 | snoozes |
 * | 11 | 2 | replays |
 * | 13 | 2 | generation |
 * | 15 | 4 | revision |
 * | 19 | 6 | due at, ms; when it was put back, once a run was cut off |
 * | 25 | 6 | started at, ms, 0: never |
 * | 31 | 6 | finished at, ms, 0: not yet |
 * | 37 | 14 | token: worker number (7), lane (1), call number (6) |
 * | 51 | 6 | sequence in which it joined its line |
 * | 57 | 6 | created at, ms |
 * | 63 | 6 | expires at, ms, 0: never |
 * | 69 | 1 | priority |
 * | 70 | 1 | dedupe policy, 0: none |
 * | 71 | 2 | max attempts |
 * | 73 | 4 | timeout, ms |
 * | 77 | 2 | payload version |
 * | 79 | 4 | fingerprint of the definition, 0: none |
 * | 83 | 16 + 8 + 1 | trace id, parent id, trace flags |
 * | 108 | 2 + 2 + 2 | lengths of dedupe key, group, facts |
 * | 114 | | dedupe key, group, facts (JSON, may be empty), payload (JSON) |
 */
const LAYOUT = 1;
const HEADER_BYTES = 114;
/** Where the state is. */
export const STATE_AT = 1;
export const STATE_BYTES = 56;
/** Up to here the scripts write a new record, from here on {@link encodeNewRecord}. */
const SUBMITTED_FROM = 69;
/** Bits of the flags that this side knows. */
const FLAGS = { cancelRequested: 1, hasExtra: 2, suspect: 8, hasWebhook: 32 } as const;

const LETTERS = {
  scheduled: 's',
  queued: 'q',
  processing: 'p',
  retrying: 'r',
  succeeded: 'S',
  failed: 'F',
  cancelled: 'C',
  expired: 'E',
} as const satisfies Record<JobStatus, string>;

const STATUS_OF: ReadonlyMap<string, JobStatus> = new Map(
  // Object.entries forgets the keys' type; LETTERS names every status and nothing else.
  Object.entries(LETTERS).map(([status, letter]) => [letter, status as JobStatus]),
);

/** What Redis holds is not what this version writes: another program uses the keys, or a newer version does. */
export class UnreadableRecordError extends Error {
  override readonly name = 'UnreadableRecordError';
}

/** @throws {UnreadableRecordError} */
export function statusOf(letter: string): JobStatus {
  const status = STATUS_OF.get(letter);
  if (status === undefined) throw new UnreadableRecordError(`"${letter}" is no status letter.`);
  return status;
}

export interface TraceContext {
  /** 32 hex digits. */
  readonly traceId: string;
  /** 16 hex digits: the span the job was submitted from. */
  readonly parentId: string;
  /** As in W3C trace context; 1: sampled. */
  readonly flags: number;
}

/** Who is told of the end of a job, as a record holds it. */
export interface StoredWebhook extends Pick<Webhook, 'url' | 'secretName'> {
  /** The letters of the statuses that are told. finish.lua reads them in the JSON, where they come first. */
  readonly ends: string;
}

export function storedWebhook(webhook: Webhook): StoredWebhook {
  const ends = endsOf(webhook).map((status) => LETTERS[status]);
  return { ends: ends.join(''), url: webhook.url, secretName: webhook.secretName };
}

/** Whether somebody is told that a job has this status: the call that brought it there wrote an event. */
export function isTold({ status, facts }: JobRecord): boolean {
  return facts.webhook?.ends.includes(LETTERS[status]) === true;
}

/** Rarely set facts of a submit; those unset are left out. */
export interface Facts {
  readonly requestId?: string;
  readonly tracestate?: string;
  readonly userId?: string;
  readonly tags?: readonly string[];
  readonly metadata?: Readonly<Record<string, string>>;
  readonly backoff?: unknown;
  /** Of the dedupe key, where it is not the definition's. */
  readonly dedupeTtlMs?: number;
  readonly webhook?: StoredWebhook;
  readonly signAs?: string;
}

/** What a submit decides about a job. */
export interface NewRecord {
  readonly priority: number;
  readonly maxAttempts: number;
  readonly timeoutMs: number;
  readonly payloadVersion: number;
  /** Of the definition that the payload was checked against; 0: none. */
  readonly fingerprint: number;
  readonly trace: TraceContext;
  readonly dedupe: { readonly policy: DedupePolicy; readonly key: string } | undefined;
  readonly facts: Facts;
  readonly payloadJson: string;
}

const NOTHING = Buffer.alloc(0);

/** What the flags of a new job are, by the same facts as its record. */
export function flagsOf({ facts }: Pick<NewRecord, 'facts'>): number {
  return facts.webhook === undefined ? 0 : FLAGS.hasWebhook;
}

/** The part of a record after its deadline; the script that enqueues puts the rest before it. */
export function encodeNewRecord(record: NewRecord): Buffer {
  const { dedupe, facts, payloadJson, trace } = record;
  const dedupeKey = dedupe === undefined ? NOTHING : Buffer.from(dedupe.key);
  const factsJson = hasFields(facts) ? Buffer.from(JSON.stringify(facts)) : NOTHING;
  const headBytes = HEADER_BYTES - SUBMITTED_FROM;
  const payloadStart = headBytes + dedupeKey.length + factsJson.length;
  const bytes = Buffer.allocUnsafe(payloadStart + Buffer.byteLength(payloadJson));
  bytes[0] = record.priority;
  bytes[1] = dedupe === undefined ? 0 : DEDUPE_POLICIES.indexOf(dedupe.policy) + 1;
  bytes.writeUInt16LE(record.maxAttempts, 2);
  bytes.writeUInt32LE(record.timeoutMs, 4);
  bytes.writeUInt16LE(record.payloadVersion, 8);
  bytes.writeUInt32LE(record.fingerprint, 10);
  bytes.write(trace.traceId, 14, 'hex');
  bytes.write(trace.parentId, 30, 'hex');
  bytes[38] = trace.flags;
  bytes.writeUInt16LE(dedupeKey.length, 39);
  bytes.writeUInt16LE(0, 41);
  bytes.writeUInt16LE(factsJson.length, 43);
  dedupeKey.copy(bytes, headBytes);
  factsJson.copy(bytes, headBytes + dedupeKey.length);
  bytes.write(payloadJson, payloadStart);
  return bytes;
}

function hasFields(facts: Facts): boolean {
  for (const name in facts) if (Object.hasOwn(facts, name)) return true;
  return false;
}

/** The fixed part of a record. Times are ms of Redis' clock, 0 when unset. */
export interface Header {
  readonly status: JobStatus;
  /** It was asked to stop while it ran. */
  readonly cancelRequested: boolean;
  /** Earlier runs, or this one, left something in its side hash. */
  readonly hasExtra: boolean;
  /** One more crash buries it: it may be what kills its workers. */
  readonly suspect: boolean;
  readonly attempt: number;
  readonly runs: number;
  readonly crashes: number;
  /** Those before the last checkpoint included. */
  readonly crashesInAll: number;
  readonly snoozes: number;
  readonly replays: number;
  readonly revision: number;
  readonly dueAt: number;
  readonly startedAt: number;
  readonly finishedAt: number;
  readonly token: Buffer;
  readonly workerNumber: string;
  readonly seq: number;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly priority: number;
  readonly dedupePolicy: DedupePolicy | undefined;
  readonly maxAttempts: number;
  readonly timeoutMs: number;
  readonly payloadVersion: number;
  readonly fingerprint: number;
  readonly trace: TraceContext;
}

export interface JobRecord extends Header {
  readonly dedupeKey: string | undefined;
  readonly facts: Facts;
  readonly payloadJson: string;
}

/** @throws {UnreadableRecordError} */
export function decodeHeader(record: Buffer): Header {
  if (record.length < HEADER_BYTES || record[0] !== LAYOUT) {
    throw new UnreadableRecordError(
      `A record of ${record.length} bytes in layout ${record[0] ?? 'none'} cannot be read; this version reads layout ${LAYOUT}.`,
    );
  }
  return headerOf(record);
}

function headerOf(record: Buffer): Header {
  const token = record.subarray(37, 51);
  return {
    status: statusOf(record.toString('latin1', 1, 2)),
    cancelRequested: (record.readUInt8(2) & FLAGS.cancelRequested) !== 0,
    hasExtra: (record.readUInt8(2) & FLAGS.hasExtra) !== 0,
    suspect: (record.readUInt8(2) & FLAGS.suspect) !== 0,
    attempt: record.readUInt16LE(3),
    runs: record.readUInt16LE(5),
    crashes: record.readUInt8(7),
    crashesInAll: record.readUInt8(8),
    snoozes: record.readUInt16LE(9),
    replays: record.readUInt16LE(11),
    revision: record.readUInt32LE(15),
    dueAt: record.readUIntLE(19, 6),
    startedAt: record.readUIntLE(25, 6),
    finishedAt: record.readUIntLE(31, 6),
    token,
    workerNumber: workerNumberOf(token),
    seq: record.readUIntLE(51, 6),
    createdAt: record.readUIntLE(57, 6),
    expiresAt: record.readUIntLE(63, 6),
    priority: record.readUInt8(69),
    dedupePolicy: DEDUPE_POLICIES[record.readUInt8(70) - 1],
    maxAttempts: record.readUInt16LE(71),
    timeoutMs: record.readUInt32LE(73),
    payloadVersion: record.readUInt16LE(77),
    fingerprint: record.readUInt32LE(79),
    trace: { traceId: record.toString('hex', 83, 99), parentId: record.toString('hex', 99, 107), flags: record.readUInt8(107) },
  };
}

/** @throws {UnreadableRecordError} */
export function decodeRecord(record: Buffer): JobRecord {
  const header = decodeHeader(record);
  const dedupeEnd = HEADER_BYTES + record.readUInt16LE(108);
  const factsStart = dedupeEnd + record.readUInt16LE(110);
  const factsEnd = factsStart + record.readUInt16LE(112);
  if (factsEnd > record.length) throw new UnreadableRecordError(`A record of ${record.length} bytes ends before its payload.`);
  // Completed rather than spread into a new object, which takes ten times as long as all else here.
  return Object.assign(header, {
    dedupeKey: dedupeEnd > HEADER_BYTES ? record.toString('utf8', HEADER_BYTES, dedupeEnd) : undefined,
    facts: factsEnd > factsStart ? parseFacts(record.toString('utf8', factsStart, factsEnd)) : {},
    payloadJson: record.toString('utf8', factsEnd),
  });
}

/**
 * The record of a job to which a script has done something already, which nothing that stands in it can undo: what the script
 * itself did not read, and cannot be read here either, is left out. Without the payload.
 */
export function decodeTouched(record: Buffer): JobRecord {
  try {
    return decodeRecord(record);
  } catch (error) {
    if (!(error instanceof UnreadableRecordError)) throw error;
    return Object.assign(headerOf(record), { dedupeKey: undefined, facts: {}, payloadJson: '' });
  }
}

function parseFacts(json: string): Facts {
  let facts: unknown;
  try {
    facts = JSON.parse(json);
  } catch (error) {
    throw new UnreadableRecordError('The facts of a record are no JSON.', { cause: error });
  }
  if (typeof facts !== 'object' || facts === null) throw new UnreadableRecordError('The facts of a record are no object.');
  // Written by encodeNewRecord and nobody else.
  return facts;
}

/** A claim's token: never the same twice, since a worker draws its number at boot and counts its calls. */
export function encodeToken(workerNumber: bigint, lane: number, call: number): Buffer {
  const token = Buffer.alloc(14);
  token.writeBigUInt64LE(workerNumber, 0);
  token.writeUInt8(lane, 7);
  token.writeUIntLE(call, 8, 6);
  return token;
}

function workerNumberOf(token: Buffer): string {
  return String(token.readUIntLE(0, 6) + token.readUInt8(6) * 2 ** 48);
}
