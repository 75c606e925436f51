import type { Fault, Hold } from '../ledger/entries.js';
import { grouped } from './grouped.js';
import type { Run } from './run.js';

/** A run began while another worker still ran the job and, as the observer of Redis saw it, had a live lease on it. */
export interface Overlap {
  readonly earlier: Run;
  readonly later: Run;
  readonly hold: Hold;
}

/**
 * Two runs at once are expected where a lease was over. Where Redis itself lost what it had answered between the two starts, neither
 * worker could know of the other.
 */
export function findOverlaps(
  runs: ReadonlyMap<string, readonly Run[]>,
  holds: readonly Hold[],
  faults: readonly Fault[],
): Overlap[] {
  const holdsByJob = grouped(holds, ({ jobId }) => jobId);
  const losses = faults.filter(({ lostFromMs }) => lostFromMs !== undefined);
  return [...runs].flatMap(([jobId, ofJob]) =>
    pairsAtOnce(ofJob)
      .filter(({ earlier, later }) => !losses.some(({ fromMs }) => fromMs >= earlier.startMs && fromMs <= later.startMs))
      .flatMap(({ earlier, later }) => {
        const hold = holdsByJob.get(jobId)?.find((one) => isLive(one, earlier.worker, later.startMs));
        return hold === undefined ? [] : [{ earlier, later, hold }];
      }),
  );
}

function pairsAtOnce(runs: readonly Run[]) {
  return runs.flatMap((earlier, index) =>
    runs
      .slice(index + 1)
      .filter(({ startMs }) => startMs < earlier.endMs)
      .map((later) => ({ earlier, later })),
  );
}

function isLive(hold: Hold, worker: string, atMs: number): boolean {
  return hold.worker === worker && hold.firstSeenMs <= atMs && hold.leaseEndMs > atMs;
}
