import type { Entry, Fault, Unanswered } from '../ledger/entries.js';
import type { Run } from './run.js';

/** Clients give up waiting by then. */
const ANSWER_MS = 3_000;

/**
 * How much was under way where the fault hit: runs of handlers in the workers that it hit, and submits that an api it hit did not
 * answer.
 */
export function interruptedBy(fault: Fault, runs: readonly Run[], unanswered: readonly Entry<Unanswered>[]): number {
  const hits = (process: string) => fault.processes?.includes(process) ?? true;
  const hitsPlace = (place: string) => fault.processes?.some((process) => process.startsWith(`${place}.`)) ?? false;
  const running = runs.filter(
    ({ process, startMs, endMs }) => hits(process) && startMs <= fault.fromMs && endMs >= fault.fromMs,
  ).length;
  const open = unanswered.filter(
    ({ api, atMs }) => hitsPlace(api) && atMs >= fault.fromMs && atMs <= fault.untilMs + ANSWER_MS,
  ).length;
  return running + open;
}
