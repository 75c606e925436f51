import type { JobDefinition } from '../definition/job-definition.js';
import type { JobRecord } from '../store/record.js';

/** As reap.lua and note.lua count: so many crashes in all bury, whatever checkpoints came between. */
const MOST_CRASHES = 10;

/** One more crash would bury the job: it may be what kills its workers. */
export function isSuspect({ maxCrashes }: JobDefinition, { crashes, crashesInAll }: JobRecord): boolean {
  return crashesInAll > 0 && (crashes === maxCrashes - 1 || crashesInAll === MOST_CRASHES - 1);
}

/** Lets a process run one suspect at a time, so that a killer takes no neighbour to the grave. */
export class SuspectPermit {
  private taken = false;
  private readonly waiting = new Set<() => void>();

  /** Whether the caller has it now. */
  take(): boolean {
    if (this.taken) return false;
    this.taken = true;
    return true;
  }

  release(): void {
    this.taken = false;
    const waiting = [...this.waiting];
    this.waiting.clear();
    for (const listener of waiting) listener();
  }

  /** Told once, when the permit is free. */
  onceFree(listener: () => void): void {
    if (this.taken) this.waiting.add(listener);
    else listener();
  }
}
