import type { Checkpoint } from '@antrean/jobs';
import type { UnsentRuns } from '@antrean/shop';

/** What earlier runs of the job left: those that handed nothing over, and could not tell the ledger in time. */
export function knownUnsent({ value }: Checkpoint): UnsentRuns | undefined {
  return value as UnsentRuns | undefined; // Saved by this handler alone.
}

/** One more. Of an older one that is not next to it nothing is known any more: what the runs between them did may be unknown. */
export function withRun(known: UnsentRuns | undefined, run: number): UnsentRuns {
  return { first: known?.last === run - 1 ? known.first : run, last: run };
}
