import { ULID_BYTES } from '../definition/job-id.js';
import type { JobStatus } from '../definition/job-status.js';
import type { Link } from './link.js';
import { STATE_AT, STATE_BYTES, UnreadableRecordError, decodeRecord, encodeToken, statusOf } from './record.js';
import { asArray, asBuffer, asNumber, asText, type StoredJob } from './reply.js';
import { Script } from './script.js';
import { packSettles, type Settle } from './settle.js';

export type { Settle, Settlement } from './settle.js';

const script = new Script('exchange');

/** Who makes the calls. */
export interface WorkerIdentity {
  /** 52 random bits, drawn at boot. */
  readonly number: bigint;
  /** Host and process, for people. */
  readonly label: string;
}

/**
 * How many jobs; a call gives 64 at most and about 1 MiB of them, and is not `idle` then. `pass_on`: none, and if work is
 * left another idle worker is woken. `leave`: likewise, as the last call of a worker.
 */
export type Want = number | 'pass_on' | 'leave';

export interface ExchangeCall {
  readonly type: string;
  readonly worker: WorkerIdentity;
  readonly lane: number;
  /** Counts up within a lane; the same number again is answered again without effect. */
  readonly call: number;
  readonly leaseMs: number;
  readonly want: Want;
  /** Also a job that is one crash short of its burial; one at most is given. */
  readonly suspects: boolean;
  /** Newer payloads are left to workers that read them. */
  readonly version: number;
  readonly keepFinished: boolean;
  /** As `keepFinished`, for failed jobs. */
  readonly keepFailed: boolean;
  readonly settles: readonly Settle[];
}

/** A job to run, and the token that its settle must show. */
export interface Claimed extends StoredJob {
  readonly token: Buffer;
}

/** A claimed job that cannot be run: only its burial is left. */
export interface Unreadable {
  readonly ulid: string;
  readonly token: Buffer;
  readonly reason: string;
}

/** What became of a settle; `stale`: the token no longer counts, `unknown`: the call was carried out before and its job is gone. */
export type Settled = JobStatus | 'stale' | 'unknown';

export interface ExchangeReply {
  /** Milliseconds until the next waiting job is due; undefined when none waits. */
  readonly nextDueInMs: number | undefined;
  /** Nothing was left to claim; the worker is woken when something comes. */
  readonly idle: boolean;
  /** The call asked for no suspects, and there are some. */
  readonly suspectsWait: boolean;
  /** Another worker was woken. */
  readonly woke: boolean;
  /** There are events to be handed on. */
  readonly hasOutgoing: boolean;
  readonly settled: readonly Settled[];
  readonly claimed: readonly Claimed[];
  /** Claimed jobs whose records this version cannot read. */
  readonly unreadable: readonly Unreadable[];
}

export async function exchange(link: Link, call: ExchangeCall): Promise<ExchangeReply> {
  const keys = link.keys(call.type);
  const token = encodeToken(call.worker.number, call.lane, call.call);
  const args = [
    String(call.worker.number),
    token,
    call.lane,
    call.call,
    call.leaseMs,
    wantNumber(call.want),
    call.suspects ? 1 : 0,
    call.version,
    call.worker.label,
    call.keepFinished ? 1 : 0,
    call.keepFailed ? 1 : 0,
    packSettles(call.settles),
  ];
  const reply = asArray(
    await script.run(
      link.redis,
      [
        keys.clock,
        keys.lanes,
        keys.leases,
        keys.workers,
        keys.running,
        keys.idle,
        keys.scheduled,
        keys.retrying,
        keys.succeeded,
        keys.failed,
        keys.cancelled,
        keys.expired,
        keys.ghosts,
        keys.suspects,
        keys.parked,
        keys.expiring,
        keys.cancels,
        ...keys.ready,
      ],
      args,
    ),
  );
  return readReply(reply, token);
}

function wantNumber(want: Want): number {
  if (want === 'leave') return -2;
  return want === 'pass_on' ? -1 : want;
}

function readReply([nextDueIn, signs, letters, claims]: readonly unknown[], token: Buffer): ExchangeReply {
  const nextDueInMs = asNumber(nextDueIn);
  const signBits = asNumber(signs);
  return {
    nextDueInMs: nextDueInMs < 0 ? undefined : nextDueInMs,
    idle: (signBits & 1) !== 0,
    suspectsWait: (signBits & 2) !== 0,
    woke: (signBits & 4) !== 0,
    hasOutgoing: (signBits & 8) !== 0,
    settled: Array.from(asText(letters), readLetter),
    ...readClaims(asBuffer(claims), token),
  };
}

function readClaims(claims: Buffer, token: Buffer): Pick<ExchangeReply, 'claimed' | 'unreadable'> {
  const claimed: Claimed[] = [];
  const unreadable: Unreadable[] = [];
  for (let at = 0; at < claims.length;) {
    const ulid = claims.toString('latin1', at, at + ULID_BYTES);
    const state = at + ULID_BYTES + 4;
    const start = state + STATE_BYTES;
    at = start + claims.readUInt32LE(at + ULID_BYTES);
    // As Redis has it by now; put in place here, it costs Redis no copy of the record.
    claims.copy(claims, start + STATE_AT, state, start);
    try {
      claimed.push({ ulid, token, record: decodeRecord(claims.subarray(start, at)) });
    } catch (error) {
      if (!(error instanceof UnreadableRecordError)) throw error;
      unreadable.push({ ulid, token, reason: error.message });
    }
  }
  return { claimed, unreadable };
}

function readLetter(letter: string): Settled {
  if (letter === '!') return 'stale';
  return letter === '?' ? 'unknown' : statusOf(letter);
}
