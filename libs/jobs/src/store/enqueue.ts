import { decodeHeader, type Header } from './record.js';
import { asArray, asBuffer, asNumber } from './reply.js';
import type { Link } from './link.js';
import { Script } from './script.js';

const script = new Script('enqueue');

const ULID_BYTES = 26;

export interface NewJob {
  readonly ulid: string;
  readonly when: { readonly delayMs: number } | { readonly atMs: number } | undefined;
  /** For the dedupe policy `ttl`; 0 with any other. */
  readonly dedupeTtlMs: number;
  /** From `encodeNewRecord`. */
  readonly record: Buffer;
}

/** What became of one job of the call. A holder whose record is gone already has no header. */
export type Enqueued =
  | { readonly kind: 'accepted'; readonly status: 'queued' | 'scheduled'; readonly createdAt: number }
  /** The same ulid was accepted before: this is the call sent again. */
  | { readonly kind: 'known'; readonly header: Header }
  /** It was to run more than a year from now. */
  | { readonly kind: 'too_late' }
  | { readonly kind: 'duplicate'; readonly ulid: string; readonly header: Header | undefined };

export async function enqueue(link: Link, type: string, jobs: readonly NewJob[]): Promise<readonly Enqueued[]> {
  const keys = link.keys(type);
  const args = jobs.flatMap((job) => [job.ulid, whenText(job.when), job.dedupeTtlMs, job.record]);
  const [now, ...answers] = asArray(
    await script.run(link.redis, [keys.clock, keys.seq, keys.scheduled, keys.idle, ...keys.ready], args),
  );
  return jobs.map((job, index) => readAnswer(job, asBuffer(answers[index]), asNumber(now)));
}

function whenText(when: NewJob['when']): string {
  if (when === undefined) return '';
  return 'delayMs' in when ? `+${when.delayMs}` : `@${when.atMs}`;
}

function readAnswer(job: NewJob, answer: Buffer, now: number): Enqueued {
  if (answer.length === 0) return { kind: 'accepted', status: isLater(job.when, now) ? 'scheduled' : 'queued', createdAt: now };
  if (answer.length < ULID_BYTES) return { kind: 'too_late' };
  const ulid = answer.toString('latin1', 0, ULID_BYTES);
  const header = answer.length > ULID_BYTES ? decodeHeader(answer.subarray(ULID_BYTES)) : undefined;
  return ulid === job.ulid && header !== undefined ? { kind: 'known', header } : { kind: 'duplicate', ulid, header };
}

function isLater(when: NewJob['when'], now: number): boolean {
  if (when === undefined) return false;
  return 'delayMs' in when ? when.delayMs > 0 : when.atMs > now;
}
