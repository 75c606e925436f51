import type { Link } from './link.js';
import type { Overdue } from './overdue.js';
import { asArray, asJobs, asNumber } from './reply.js';
import { Script } from './script.js';

const script = new Script('crash-overdue');

export interface OverdueCrash {
  readonly type: string;
  readonly workerNumber: bigint;
  /** After the timeout of a run. */
  readonly graceMs: number;
  readonly maxCrashes: number;
  /** It may as well be a handler that blocks whose time is not over, or whose run was taken before. */
  readonly blameShared: boolean;
  /** Runs to pass over, and to look at. */
  readonly offset: number;
  readonly limit: number;
  readonly keepFinished: boolean;
  readonly keepFailed: boolean;
  /** The error noted in the trail for such a crash, and for the one that buries, as JSON. */
  readonly crashJson: string;
  readonly poisonJson: string;
}

/** Takes the runs that are past their timeout and `graceMs` from a worker, as crashed ones; answers with them in their new state. */
export async function crashOverdue(link: Link, call: OverdueCrash): Promise<Overdue> {
  const keys = link.keys(call.type);
  const [seen, ...jobs] = asArray(
    await script.run(
      link.redis,
      [
        keys.clock,
        keys.running,
        keys.idle,
        keys.failed,
        keys.suspects,
        keys.cancelled,
        keys.cancels,
        keys.expiring,
        ...keys.ready,
      ],
      [
        String(call.workerNumber),
        call.graceMs,
        call.offset,
        call.limit,
        call.maxCrashes,
        call.keepFinished ? 1 : 0,
        call.keepFailed ? 1 : 0,
        call.crashJson,
        call.poisonJson,
        call.blameShared ? 1 : 0,
      ],
    ),
  );
  return { seen: asNumber(seen), jobs: asJobs(jobs) };
}
