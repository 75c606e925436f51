import type { Ticking } from '../runtime/loop.js';
import { MAX_JOBS_PER_CALL } from '../store/bounds.js';
import { sweep } from '../store/sweep.js';
import type { MaintenanceContext } from './maintenance-context.js';

const PACE_MS = 10;
/** Dead letters of a type; when there are more, the oldest go, however young they are. */
const MAX_FAILED = 1_000_000;
const MAX_SLEEP_MS = 60_000;

/** Removes finished jobs of a type when they have been kept long enough. */
export class Retention implements Ticking {
  constructor(
    private readonly type: string,
    private readonly context: MaintenanceContext,
  ) {}

  async tick(): Promise<number> {
    const { retentionMs, deadRetentionMs } = this.context.options;
    const { removed, nextDueInMs = MAX_SLEEP_MS } = await sweep(this.context.link, {
      type: this.type,
      retentionMs,
      deadRetentionMs,
      limit: MAX_JOBS_PER_CALL,
      maxFailed: MAX_FAILED,
    });
    // At least a second apart, so that a steady stream of old jobs is swept in batches.
    return removed === MAX_JOBS_PER_CALL ? PACE_MS : Math.min(Math.max(nextDueInMs, 1_000), MAX_SLEEP_MS);
  }
}
