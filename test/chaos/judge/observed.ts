import type { Hold } from '../ledger/entries.js';
import type { Run } from './run.js';

/** The observer looks every 50 ms, and less often when it has much to look at. */
const LONG_MS = 1_000;

/** Of the runs that took a second at least, the share (0 to 1) that the observer saw; 1 when there were none. */
export function shareObserved(runs: readonly Run[], holds: readonly Hold[]): number {
  const seen = new Set(holds.map(({ jobId, worker }) => `${jobId} ${worker}`));
  const long = runs.filter(({ startMs, endMs }) => endMs - startMs >= LONG_MS);
  return long.length === 0 ? 1 : long.filter(({ jobId, worker }) => seen.has(`${jobId} ${worker}`)).length / long.length;
}
