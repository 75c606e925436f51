import type { JobStatus } from '../definition/job-status.js';
import type { Link } from './link.js';
import { UnreadableRecordError, decodeRecord, encodeToken, statusOf } from './record.js';
import { asArray, asBuffer, asNumber, asText, type StoredJob } from './reply.js';
import { Script, type ScriptArgument } from './script.js';

const script = new Script('exchange');

/** How a run ends, as the worker reports it. `json` is the result of a success, else the error, both as JSON. */
export type Settlement =
  | { readonly event: 'succeed'; readonly json: string }
  | { readonly event: 'retry'; readonly outcome: 'failed' | 'timed_out'; readonly delayMs: number; readonly json: string }
  | { readonly event: 'bury'; readonly outcome: 'failed' | 'timed_out'; readonly json: string }
  | { readonly event: 'snooze'; readonly delayMs: number; readonly json: string }
  /** Goes back uncounted: at once to the front of its line, or after a delay. */
  | { readonly event: 'hand_back'; readonly delayMs: number };

export interface Settle {
  readonly ulid: string;
  readonly token: Buffer;
  readonly settlement: Settlement;
}

/** Who makes the calls. */
export interface WorkerIdentity {
  /** 52 random bits, drawn at boot. */
  readonly number: bigint;
  /** Host and process, for people. */
  readonly label: string;
}

/**
 * How many jobs; a call gives 250 at most and about 1 MiB of them, and is not `idle` then. `pass_on`: none, and if work is
 * left another idle worker is woken. `leave`: likewise, as the last call of a worker.
 */
export type Want = number | 'pass_on' | 'leave';

export interface ExchangeCall {
  readonly type: string;
  readonly worker: WorkerIdentity;
  readonly lane: number;
  /** From 1, counts up within a lane; the same number again is answered again without effect. */
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
  readonly settled: readonly Settled[];
  readonly claimed: readonly Claimed[];
  /** Claimed jobs whose records this version cannot read. */
  readonly unreadable: readonly Unreadable[];
}

export async function exchange(link: Link, call: ExchangeCall): Promise<ExchangeReply> {
  const keys = link.keys(call.type);
  const token = encodeToken(call.worker.number, call.lane, call.call);
  const args: ScriptArgument[] = [
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
  ];
  for (const settle of call.settles) args.push(settle.ulid, settle.token, ...settlementArgs(settle.settlement));
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

function settlementArgs(settlement: Settlement): [string, string, number, string] {
  switch (settlement.event) {
    case 'succeed':
      return ['succeed', 'succeeded', 0, settlement.json];
    case 'retry':
      return ['retry', settlement.outcome, settlement.delayMs, settlement.json];
    case 'bury':
      return ['bury', settlement.outcome, 0, settlement.json];
    case 'snooze':
      return ['snooze', 'snoozed', settlement.delayMs, settlement.json];
    case 'hand_back':
      return ['hand_back', 'handed_back', settlement.delayMs, ''];
  }
}

function readReply([nextDueIn, signs, letters, ...claims]: readonly unknown[], token: Buffer): ExchangeReply {
  const nextDueInMs = asNumber(nextDueIn);
  const signBits = asNumber(signs);
  return {
    nextDueInMs: nextDueInMs < 0 ? undefined : nextDueInMs,
    idle: (signBits & 1) !== 0,
    suspectsWait: (signBits & 2) !== 0,
    settled: Array.from(asText(letters), readLetter),
    ...readClaims(claims, token),
  };
}

function readClaims(pairs: readonly unknown[], token: Buffer): Pick<ExchangeReply, 'claimed' | 'unreadable'> {
  const claimed: Claimed[] = [];
  const unreadable: Unreadable[] = [];
  for (let i = 0; i < pairs.length; i += 2) {
    const ulid = asText(pairs[i]);
    try {
      claimed.push({ ulid, token, record: decodeRecord(asBuffer(pairs[i + 1])) });
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
