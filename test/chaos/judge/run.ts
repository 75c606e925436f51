import type { Entry, Fault, RunNote } from '../ledger/entries.js';
import { grouped } from './grouped.js';

/** One run of a handler, as the ledgers have it. */
export interface Run {
  readonly jobId: string;
  readonly number: number;
  readonly process: string;
  readonly worker: string;
  readonly startMs: number;
  /** Infinity for a run that nobody saw end. */
  readonly endMs: number;
  readonly end: 'succeeded' | 'failed' | 'aborted' | 'killed' | 'unseen';
}

/** In order of their starts. A run that did not say how it ended was ended by the death of its process. */
export function runsOf(notes: readonly Entry<RunNote>[], faults: readonly Fault[]): Run[] {
  const deaths = new Map(faults.filter(isKill).flatMap(({ processes = [], fromMs }) => processes.map((name) => [name, fromMs])));
  const ends = new Map(notes.filter(({ what }) => what !== 'start').map((note) => [note.run, note]));
  return notes
    .filter(({ what }) => what === 'start')
    .map(({ run, jobId, number, process, worker, atMs: startMs }): Run => {
      const started = { jobId, number, process, worker, startMs };
      const end = ends.get(run);
      if (end !== undefined && end.what !== 'start') return { ...started, endMs: end.atMs, end: end.what };
      const diedMs = deaths.get(process);
      return diedMs === undefined ? { ...started, endMs: Infinity, end: 'unseen' } : { ...started, endMs: diedMs, end: 'killed' };
    })
    .toSorted((a, b) => a.startMs - b.startMs);
}

export function runsByJob(runs: readonly Run[]): ReadonlyMap<string, readonly Run[]> {
  return grouped(runs, ({ jobId }) => jobId);
}

function isKill({ kind }: Fault): boolean {
  return kind === 'kill_worker';
}
