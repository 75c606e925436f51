import { parseJobId } from '../definition/job-id.js';
import { toMs } from '../definition/duration.js';
import type { PreparedJob } from '../services/prepare-job.js';
import type { NewJob } from '../store/enqueue.js';
import { encodeNewRecord, flagsOf, type NewRecord } from '../store/record.js';
import type { TakenRow } from './outbox-store.js';

/** Another when relays of before could not read what is written. */
const FORM = 1;
/** The least that a job can be given: one that has waited for longer than it may expires at once. */
const AT_ONCE_MS = 1;
/** So long a row that was handed on, and could not be removed, makes no second job of one that was removed since. */
const ONCE_TTL_MS = toMs('24h');
const ANY_BODY = '0'.repeat(32);

/** An entry is not what this version writes: a newer one did, or somebody changed the row. */
class UnreadableEntryError extends Error {
  override readonly name = 'UnreadableEntryError';
}

/** What a row keeps of a submit: nothing of the form in which Redis has it, so that another version can hand it on. */
interface Entry extends Pick<NewJob, 'when' | 'expiresInMs' | 'dedupeTtlMs'> {
  readonly form: typeof FORM;
  readonly record: NewRecord;
}

/** A job that can be handed to Redis. */
export interface ReadyJob {
  readonly job: NewJob;
  readonly record: NewRecord;
}

export function encodeEntry({ job: { when, expiresInMs, dedupeTtlMs }, record }: PreparedJob): string {
  const entry: Entry = { form: FORM, when, expiresInMs, dedupeTtlMs, record };
  return JSON.stringify(entry);
}

/**
 * The job as it is to be handed to Redis now: the times that were given from the submit on have gone on while the row waited. Handed
 * over twice it is one job, by its ulid and, should it be removed in between, by a once key.
 * @throws {UnreadableEntryError}
 */
export function decodeEntry({ jobId, entry, ageMs }: TakenRow): ReadyJob {
  const { when, expiresInMs, dedupeTtlMs, record } = parse(entry);
  const ulid = parseJobId(jobId)?.ulid;
  if (ulid === undefined) throw new UnreadableEntryError(`"${jobId}" is no id of a job.`);
  const job = {
    ulid,
    when: when === undefined || 'atMs' in when ? when : { delayMs: Math.max(when.delayMs - ageMs, 0) },
    expiresInMs: expiresInMs === undefined ? undefined : Math.max(expiresInMs - ageMs, AT_ONCE_MS),
    dedupeTtlMs,
    once: { key: `outbox:${ulid}`, hash: ANY_BODY, ttlMs: ONCE_TTL_MS },
    flags: flagsOf(record),
    record: encodeNewRecord(record),
  };
  return { job, record };
}

function parse(text: string): Entry {
  let entry: Partial<Entry> | null;
  try {
    // Written by encodeEntry; the form says whether this version's.
    entry = JSON.parse(text) as Partial<Entry> | null;
  } catch (error) {
    throw new UnreadableEntryError('The entry is no JSON.', { cause: error });
  }
  if (entry?.form !== FORM || entry.record === undefined) {
    throw new UnreadableEntryError(`The entry has the form ${entry?.form ?? 'none'}, this version reads the form ${FORM}.`);
  }
  // An entry of this form has all the fields.
  return entry as Entry;
}
