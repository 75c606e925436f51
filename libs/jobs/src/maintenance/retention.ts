import type { Ticking } from '../runtime/loop.js';
import type { WorkerOptions } from '../runtime/worker-options.js';
import type { Link } from '../store/link.js';
import { sweep } from '../store/sweep.js';

const BATCH = 250;
const PACE_MS = 50;
const MAX_SLEEP_MS = 60_000;

/** Removes finished jobs of a type when they have been kept long enough. */
export class Retention implements Ticking {
  constructor(
    private readonly link: Link,
    private readonly type: string,
    private readonly options: WorkerOptions,
  ) {}

  async tick(): Promise<number> {
    const { retentionMs, deadRetentionMs } = this.options;
    const { removed, nextDueInMs = MAX_SLEEP_MS } = await sweep(this.link, {
      type: this.type,
      retentionMs,
      deadRetentionMs,
      limit: BATCH,
    });
    // At least a second apart, so that a steady stream of old jobs is swept in batches.
    return removed === BATCH ? PACE_MS : Math.min(Math.max(nextDueInMs, 1_000), MAX_SLEEP_MS);
  }
}
