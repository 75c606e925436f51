import type { Ticking } from '../runtime/loop.js';
import { MAX_JOBS_PER_CALL } from '../store/bounds.js';
import { promote } from '../store/promote.js';
import type { MaintenanceContext } from './maintenance-context.js';

/** 5,000 jobs a second: a burst of due jobs must not drown what queues already. */
const PACE = { jobs: 100, windowMs: 20 } as const;
/** Looks at least this often; in between it is told when a job becomes due. */
const MAX_SLEEP_MS = 30_000;

/** Lets the delayed and retrying jobs of a type queue when their time has come, and those expire that waited too long. */
export class Promoter implements Ticking {
  /** While more is due than the pace allows, every answer of Redis says so: only the next window helps. */
  notBefore = 0;

  constructor(
    private readonly type: string,
    private readonly context: MaintenanceContext,
  ) {}

  async tick(): Promise<number> {
    const { link, journal, options, rouser } = this.context;
    const {
      moved,
      paced,
      woke,
      nextDueInMs = MAX_SLEEP_MS,
    } = await promote(link, this.type, {
      limit: MAX_JOBS_PER_CALL,
      keepFinished: options.retentionMs > 0,
      pace: PACE,
    });
    if (woke) rouser.woke(this.type);
    if (paced) this.notBefore = performance.now() + nextDueInMs;
    for (const job of moved) journal.moved(this.type, job);
    return Math.min(nextDueInMs, MAX_SLEEP_MS);
  }
}
