import type { Ticking } from '../runtime/loop.js';
import { MAX_JOBS_PER_CALL } from '../store/bounds.js';
import { isTold } from '../store/record.js';
import { promote } from '../store/promote.js';
import type { MaintenanceContext } from './maintenance-context.js';

/** 5,000 jobs a second: a burst of due jobs must not drown what queues already. */
const PACE = { jobs: 100, windowMs: 20 } as const;
/** Looks at least this often; in between it is told when a job becomes due. */
const MAX_SLEEP_MS = 30_000;
/** Answers of Redis are in whole ms and have travelled: who went by them as they are would come a ms late. */
const EARLIER_MS = 1;

/** How long to sleep so as to look when a job becomes due in `dueInMs`, at the risk of looking twice. */
export function sleepBefore(dueInMs: number): number {
  return Math.min(Math.max(dueInMs - EARLIER_MS, 0), MAX_SLEEP_MS);
}

/** Lets the delayed and retrying jobs of a type queue when their time has come, and those expire that waited too long. */
export class Promoter implements Ticking {
  /** While more is due than the pace allows, every answer of Redis says so: only the next window helps. */
  notBefore = 0;

  constructor(
    private readonly type: string,
    private readonly context: MaintenanceContext,
    /** Told that there are events to be handed on. */
    private readonly onOutgoing: (type: string) => void,
  ) {}

  async tick(): Promise<number> {
    const { link, journal, options, rouser } = this.context;
    const {
      moved,
      paced,
      woke,
      nextDueInMs = Infinity,
    } = await promote(link, this.type, {
      limit: MAX_JOBS_PER_CALL,
      keepFinished: options.retentionMs > 0,
      pace: PACE,
    });
    if (woke) rouser.woke(this.type);
    if (paced) this.notBefore = performance.now() + nextDueInMs;
    for (const job of moved) journal.moved(this.type, job);
    if (moved.some(({ record }) => isTold(record))) this.onOutgoing(this.type);
    return sleepBefore(nextDueInMs);
  }
}
