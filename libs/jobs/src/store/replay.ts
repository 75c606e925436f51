import { ULID_BYTES } from '../definition/job-id.js';
import type { Link } from './link.js';
import { UnreadableRecordError, decodeHeader, decodeRecord, type Header, type JobRecord } from './record.js';
import { asArray, asBuffer, asNumber } from './reply.js';
import { Script } from './script.js';

const script = new Script('replay');

export interface Replay {
  readonly ulid: string;
  /** How long the job's dedupe key is held by the policy `ttl`; 0 with any other. */
  readonly dedupeTtlMs: number;
  /** From `encodeNewRecord`, when the payload is to be another; the dedupe key must be the old one. */
  readonly record: Buffer | undefined;
}

/** Records come without their payloads. */
export type Replayed =
  | { readonly kind: 'replayed'; readonly record: JobRecord }
  | { readonly kind: 'not_finished'; readonly record: JobRecord }
  /** That job holds the dedupe key; its header is missing when its record is gone, or it is replayed by the same call. */
  | { readonly kind: 'duplicate'; readonly holder: string; readonly header: Header | undefined }
  | { readonly kind: 'unknown' };

export interface ReplayReply {
  /** In the order of the jobs. */
  readonly answers: readonly Replayed[];
  /** A worker was woken. */
  readonly woke: boolean;
}

/** Lets finished jobs, at most 64, run again. */
export async function replay(link: Link, type: string, replays: readonly Replay[]): Promise<ReplayReply> {
  const keys = link.keys(type);
  const args = replays.flatMap(({ ulid, dedupeTtlMs, record }) => [ulid, dedupeTtlMs, record ?? '']);
  const [woke, ...answers] = asArray(
    await script.run(
      link.redis,
      [keys.clock, keys.seq, keys.idle, keys.succeeded, keys.failed, keys.cancelled, keys.expired, ...keys.ready],
      args,
    ),
  );
  return { answers: answers.map((answer) => readAnswer(asBuffer(answer))), woke: asNumber(woke) === 1 };
}

function readAnswer(answer: Buffer): Replayed {
  const letter = answer.toString('latin1', 0, 1);
  const rest = answer.subarray(1);
  switch (letter) {
    case '':
      return { kind: 'unknown' };
    case 'R':
      return { kind: 'replayed', record: decodeRecord(rest) };
    case 'N':
      return { kind: 'not_finished', record: decodeRecord(rest) };
    case 'D':
      return {
        kind: 'duplicate',
        holder: rest.toString('latin1', 0, ULID_BYTES),
        header: rest.length > ULID_BYTES ? decodeHeader(rest.subarray(ULID_BYTES)) : undefined,
      };
    default:
      throw new UnreadableRecordError(`"${letter}" is no answer to a replay.`);
  }
}
