import { claimable, start } from './claim.js';
import { isLive, type Status } from './job.js';
import type { Queue } from './queue.js';
import { settle, type Keep, type Settle } from './settle.js';
import { nextDueAt } from './time.js';

/** A numbered call of a worker on one of its lanes: finished runs go in, jobs to run come out. */
export interface Call {
  readonly worker: string;
  readonly lane: number;
  readonly number: number;
  /** `pass_on`: none, it has no room; `leave`: likewise, as the worker's last call. */
  readonly want: number | 'pass_on' | 'leave';
  readonly suspects: boolean;
  readonly version: number;
  readonly keep: Keep;
  readonly settles: readonly Settle[];
}

export type SettleAnswer = Status | 'stale' | 'unknown';

export type ExchangeAnswer =
  | { readonly kind: 'refused' }
  | {
      readonly kind: 'answered' | 'again';
      readonly settled: readonly SettleAnswer[];
      /** In order, unless the call is answered again. */
      readonly claimed: readonly string[];
      /** Nothing is left that the worker could run; it waits to be told. */
      readonly idle: boolean;
      /** When the next waiting job was due before the call. */
      readonly wasDueAt: number | undefined;
    };

export const tokenOf = ({ worker, lane, number }: Call): string => `${worker}:${lane}:${number}`;

export const laneOf = ({ worker, lane }: Pick<Call, 'worker' | 'lane'>): string => `${worker}:${lane}`;

export function exchange(queue: Queue, call: Call, now: number): ExchangeAnswer {
  if (isLate(queue, call)) return { kind: 'refused' };
  if (queue.lanes.get(laneOf(call)) === call.number) return answerAgain(queue, call);

  const wasDueAt = nextDueAt(queue);
  // What is claimed was decided before what is handed back in the same call.
  const want = typeof call.want === 'number' ? call.want : 0;
  const wanted = { ...call, want, token: tokenOf(call), upwards: call.number % 10 === 0, keepFinished: call.keep.finished };
  const claimed = claimable(queue, wanted, now);
  // A worker that runs a suspect takes no other.
  const suspects = call.suspects && !claimed.some((job) => queue.isSuspect(job));
  const settled = call.settles.map((one) => settle(queue, one, call.keep, now));
  for (const job of claimed) start(queue, job, wanted.token, now);
  queue.lanes.set(laneOf(call), call.number);
  extendOrEnd(queue, call.worker, now);

  const idle = claimed.length < want && !settled.includes('queued');
  if (idle) queue.idle.set(call.worker, { version: call.version, suspects, since: sentOn(call, settled) ? 0 : now });
  else if (call.want !== 0) queue.idle.delete(call.worker);
  if (call.want === 'leave' && queue.heldBy(call.worker).length === 0) forgetWorker(queue, call.worker);
  return {
    kind: 'answered',
    settled,
    claimed: claimed.map(({ submit }) => submit.ulid),
    idle,
    wasDueAt,
  };
}

/** Who is told of a time must not be alone in knowing it, nor take it along. */
export function tellsAnother({ want }: Call, wasDueAt = Infinity, isDueAt = Infinity, now: number): boolean {
  return want === 'leave' ? isDueAt < Infinity : Math.max(isDueAt, now) < Math.max(wasDueAt, now);
}

/** A run of the job goes on in that process, so it was handed back for later. */
const sentOn = ({ settles }: Call, settled: readonly SettleAnswer[]): boolean =>
  settles.some(({ ending }, index) => ending.event === 'hand_back' && settled[index] === 'scheduled');

/** A call, or a reconcile, whose lane is further already. */
function isLate(queue: Queue, call: Pick<Call, 'worker' | 'lane' | 'number'>): boolean {
  const late = call.number < (queue.lanes.get(laneOf(call)) ?? 0);
  if (late) queue.tally.saw('refused late');
  return late;
}

/**
 * The answer was lost and the call comes again: nothing happens. Only jobs that still stand under the call are named, and of the
 * settles what became of the runs, while no later one began.
 */
function answerAgain(queue: Queue, call: Call): ExchangeAnswer {
  queue.tally.saw('answered again');
  const token = tokenOf(call);
  const claimed = [...queue.jobs.values()].filter((job) => isLive(job, token)).map(({ submit }) => submit.ulid);
  const settled = call.settles.map((one): SettleAnswer => {
    const job = queue.jobs.get(one.ulid);
    return job?.token !== one.token || job.status === 'processing' ? 'unknown' : job.status;
  });
  return { kind: 'again', settled, claimed, idle: false, wasDueAt: nextDueAt(queue) };
}

/** Every exchange renews the lease, which lasts only while the worker runs jobs of the type. */
function extendOrEnd(queue: Queue, worker: string, now: number): void {
  if (queue.heldBy(worker).length === 0) queue.leases.delete(worker);
  else queue.leases.set(worker, { endsAt: now + queue.policy.leaseMs, beingReaped: false });
}

export function forgetWorker(queue: Queue, worker: string): void {
  for (const lane of [0, 1]) queue.lanes.delete(laneOf({ worker, lane }));
  queue.idle.delete(worker);
}

/** A lane's number goes up without a call to run or to settle: earlier calls of it come late from now on. */
export function reconcile(
  queue: Queue,
  call: Pick<Call, 'worker' | 'lane' | 'number'>,
): { readonly kind: 'refused' } | { readonly kind: 'answered'; readonly held: ReadonlyMap<string, string> } {
  if (isLate(queue, call)) return { kind: 'refused' };
  queue.lanes.set(laneOf(call), call.number);
  return { kind: 'answered', held: new Map(queue.heldBy(call.worker).map(({ submit, token }) => [submit.ulid, token ?? ''])) };
}
