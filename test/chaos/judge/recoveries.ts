import type { Fault } from '../ledger/entries.js';
import type { Run } from './run.js';

/** A job came to its next start after it had lost its worker. */
export interface Recovery {
  /** That it lost, such as `worker-2.1`. */
  readonly process: string;
  readonly ms: number;
}

/**
 * How long each job that lost its worker waited for its next start: from the death of the worker, from the moment it was
 * stopped, or from when Redis was back, whichever came last.
 */
export function recoveriesOf(runs: ReadonlyMap<string, readonly Run[]>, faults: readonly Fault[]): Recovery[] {
  const outages = faults.filter(({ kind }) => kind === 'kill_redis');
  const stops = faults.filter(({ kind }) => kind === 'stop_worker');
  return [...runs.values()].flatMap((ofJob) =>
    ofJob.flatMap((run, index) => {
      const next = ofJob[index + 1];
      if (next === undefined) return [];
      const lostMs = lostAt(run, next, stops);
      if (lostMs === undefined) return [];
      const back = outages
        .filter(({ fromMs, untilMs }) => untilMs > lostMs && fromMs < next.startMs)
        .map(({ untilMs }) => untilMs);
      return [{ process: run.process, ms: Math.max(next.startMs - Math.max(lostMs, ...back), 0) }];
    }),
  );
}

function lostAt(run: Run, next: Run, stops: readonly Fault[]): number | undefined {
  const stop = stops.find(
    ({ processes, fromMs }) =>
      processes?.includes(run.process) === true && fromMs >= run.startMs && fromMs < Math.min(run.endMs, next.startMs),
  );
  // It went on after the stop and lost nothing: the next run is a retry.
  if (stop !== undefined && next.startMs < run.endMs) return stop.fromMs;
  if (run.end === 'killed') return stop?.fromMs ?? run.endMs;
  return undefined;
}
