import { ULID_BYTES } from '../definition/job-id.js';
import type { Link } from './link.js';
import { STATE_AT, STATE_BYTES, decodeRecord, type JobRecord } from './record.js';
import { asNumber } from './reply.js';
import { Script } from './script.js';

const script = new Script('drop-outgoing');

/** The end of a job, to be told to others. */
export interface Outgoing {
  readonly ulid: string;
  /** As the job ended; its payload is left out and reads null. */
  readonly record: JobRecord;
  /** Of the side hash: progress, result, and the latest runs. */
  readonly extra: ReadonlyMap<string, string>;
}

/** Ulid, length of the record, and its state, in which are the revision and the time of the end: no other event has the same. */
const HEAD_BYTES = ULID_BYTES + 4 + STATE_AT + STATE_BYTES;
const NO_PAYLOAD = Buffer.from('null');

/** The oldest events of a type, at most `limit`, in the form that finish.lua states. They stay until they are dropped. */
export function readOutgoing(link: Link, type: string, limit: number): Promise<readonly Buffer[]> {
  return link.redis.lrangeBuffer(link.keys(type).outgoing, 0, limit - 1);
}

/** Drops events that were handed on, in the order in which they were read; answers with how many were still there. */
export async function dropOutgoing(link: Link, type: string, events: readonly Buffer[]): Promise<number> {
  if (events.length === 0) return 0;
  const { outgoing, clock } = link.keys(type);
  return asNumber(
    await script.run(
      link.redis,
      [outgoing, clock],
      events.map((event) => event.subarray(0, HEAD_BYTES)),
    ),
  );
}

/** @throws {UnreadableRecordError} */
export function decodeOutgoing(event: Buffer): Outgoing {
  const recordStart = ULID_BYTES + 4;
  const recordEnd = recordStart + event.readUInt32LE(ULID_BYTES);
  const extra = new Map<string, string>();
  for (let at = recordEnd; at < event.length;) {
    const nameStart = at + 6;
    const nameEnd = nameStart + event.readUInt16LE(at);
    const valueEnd = nameEnd + event.readUInt32LE(at + 2);
    extra.set(event.toString('utf8', nameStart, nameEnd), event.toString('utf8', nameEnd, valueEnd));
    at = valueEnd;
  }
  return {
    ulid: event.toString('latin1', 0, ULID_BYTES),
    record: decodeRecord(Buffer.concat([event.subarray(recordStart, recordEnd), NO_PAYLOAD])),
    extra,
  };
}
