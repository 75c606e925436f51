import { MAX_JOBS_PER_CALL } from '../store/bounds.js';
import { crashOverdue } from '../store/crash-overdue.js';
import type { Link } from '../store/link.js';
import { takeOverdue } from '../store/overdue.js';
import type { StoredJob } from '../store/reply.js';

/** What has to be known of a type to take its runs from a blocked process. */
export interface BlockedPolicy {
  readonly type: string;
  readonly graceMs: number;
  readonly maxCrashes: number;
}

/**
 * Takes all runs of a type that are past their hard limit from a process whose event loop is blocked, and answers with them in
 * their new state. They count as crashed: one of them blocks the loop, the others could not end, and nobody knows which is which.
 */
export function crashOverdueRuns(
  link: Link,
  { type, graceMs, maxCrashes }: BlockedPolicy,
  workerNumber: bigint,
  keep: { readonly keepFinished: boolean; readonly keepFailed: boolean },
): Promise<readonly StoredJob[]> {
  const { keepFinished, keepFailed } = keep;
  const crashJson = JSON.stringify({
    name: 'EventLoopBlockedError',
    code: 'loop_blocked',
    message: 'The event loop was blocked when the time of the job was over. It or one that ran beside it did that.',
  });
  const poisonJson = JSON.stringify({
    name: 'PoisonError',
    code: 'poison',
    message:
      `The event loop was blocked, or the worker was lost, while it ran the job, ${maxCrashes} times in a row or 10 times in all. ` +
      'The job may be what does that.',
  });
  const call = { type, workerNumber, graceMs, maxCrashes, keepFinished, keepFailed, crashJson, poisonJson };
  return takeOverdue(MAX_JOBS_PER_CALL, (page) => crashOverdue(link, { ...call, ...page }));
}
