import { UnreadableRecordError, decodeTouched, type JobRecord } from './record.js';

/** Readers for what scripts answer; each refuses what it does not expect rather than guess. */

export function asArray(reply: unknown): readonly unknown[] {
  if (Array.isArray(reply)) return reply;
  throw new UnreadableRecordError(`A script answered ${typeof reply} where a list was expected.`);
}

export function asNumber(reply: unknown): number {
  if (typeof reply === 'number') return reply;
  throw new UnreadableRecordError(`A script answered ${typeof reply} where a number was expected.`);
}

export function asBuffer(reply: unknown): Buffer {
  if (Buffer.isBuffer(reply)) return reply;
  throw new UnreadableRecordError(`A script answered ${typeof reply} where a string was expected.`);
}

export function asText(reply: unknown): string {
  return asBuffer(reply).toString('utf8');
}

/** A job as a script hands it over. */
export interface StoredJob {
  readonly ulid: string;
  readonly record: JobRecord;
}

/** Jobs that a script moved or looked at, from a flat list of ulid, record, ulid, record. One that is spoilt keeps none of the others. */
export function asJobs(pairs: readonly unknown[]): StoredJob[] {
  const jobs: StoredJob[] = [];
  for (let i = 0; i < pairs.length; i += 2) jobs.push({ ulid: asText(pairs[i]), record: decodeTouched(asBuffer(pairs[i + 1])) });
  return jobs;
}
