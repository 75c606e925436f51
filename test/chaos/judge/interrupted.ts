import type { FaultKind } from '../fault-plan.js';
import type { Entry, Fault, Refusal, Unanswered } from '../ledger/entries.js';
import type { Run } from './run.js';

/** Clients give up waiting by then. */
const ANSWER_MS = 3_000;

/** The faults that can be why Redis refuses a call so. */
const CAUSES: Readonly<Record<Refusal['error'], readonly FaultKind[]>> = {
  OOM: ['full_memory'],
  NOSCRIPT: ['flush_scripts', 'kill_redis'],
};

/** What the ledgers tell of what faults hit. */
export interface Victims {
  readonly runs: readonly Run[];
  readonly unanswered: readonly Entry<Unanswered>[];
  readonly refusals: readonly Entry<Refusal>[];
}

/**
 * How much the fault interrupted: runs of handlers that were under way in the workers that it hit, and submits that an api it hit did not
 * answer. A Redis that is full, or has forgotten its scripts, lets handlers be: there it is the calls for jobs that were refused and had to
 * be made again.
 */
export function interruptedBy(fault: Fault, { runs, unanswered, refusals }: Victims, faults: readonly Fault[]): number {
  switch (fault.kind) {
    case 'full_memory':
    case 'flush_scripts':
      return refusals.filter((refusal) => causeOf(refusal, faults) === fault).length;
    case 'kill_worker':
    case 'kill_api':
    case 'kill_redis':
    case 'stop_worker':
    case 'cut':
    case 'half_open':
    case 'drop_reply':
    case 'clock':
      return underWay(fault, runs) + openAt(fault, unanswered);
  }
}

/** The latest that can be it. */
function causeOf({ error, atMs }: Entry<Refusal>, faults: readonly Fault[]): Fault | undefined {
  return faults
    .filter(({ kind, fromMs }) => CAUSES[error].includes(kind) && fromMs <= atMs)
    .toSorted((a, b) => a.fromMs - b.fromMs)
    .at(-1);
}

function underWay({ processes, fromMs }: Fault, runs: readonly Run[]): number {
  const hits = (process: string) => processes?.includes(process) ?? true;
  return runs.filter(({ process, startMs, endMs }) => hits(process) && startMs <= fromMs && endMs >= fromMs).length;
}

function openAt({ processes, fromMs, untilMs }: Fault, unanswered: readonly Entry<Unanswered>[]): number {
  const hits = (place: string) => processes?.some((process) => process.startsWith(`${place}.`)) ?? false;
  return unanswered.filter(({ api, atMs }) => hits(api) && atMs >= fromMs && atMs <= untilMs + ANSWER_MS).length;
}
