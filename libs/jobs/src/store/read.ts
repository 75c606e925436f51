import type { Link } from './link.js';
import { decodeRecord, type JobRecord } from './record.js';
import { asArray, asBuffer, asNumber, asText } from './reply.js';
import { Script } from './script.js';

const script = new Script('read');

export interface Snapshot {
  readonly now: number;
  readonly record: JobRecord;
  /** The side hash, see keys.ts. */
  readonly extra: ReadonlyMap<string, string>;
  /** Enqueue sequence of the first in the same line; undefined when the job does not queue. */
  readonly headSeq: number | undefined;
  /** No worker seen so far reads its payload. */
  readonly parked: boolean;
}

/** A job with all that belongs to it, at one moment; undefined when there is none. */
export async function read(link: Link, type: string, ulid: string): Promise<Snapshot | undefined> {
  const keys = link.keys(type);
  const [now, record, pairs, headSeq, parked] = asArray(
    await script.run(link.redis, [keys.clock, keys.parked, ...keys.ready], [ulid]),
  );
  if (record === undefined) return undefined;
  const flat = asArray(pairs).map(asText);
  const extra = new Map<string, string>();
  for (let i = 0; i < flat.length; i += 2) extra.set(flat[i] ?? '', flat[i + 1] ?? '');
  return {
    now: asNumber(now),
    record: decodeRecord(asBuffer(record)),
    extra,
    headSeq: asNumber(headSeq) || undefined,
    parked: asNumber(parked) === 1,
  };
}
