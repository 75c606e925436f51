import { MAX_JOBS_PER_CALL } from '../store/bounds.js';
import { crashOverdue } from '../store/crash-overdue.js';
import type { Link } from '../store/link.js';
import { overdue, takeOverdue } from '../store/overdue.js';
import type { StoredJob } from '../store/reply.js';
import { LOOP_BLOCKED_JSON, poisonJson } from './crash-errors.js';

/** What has to be known of a type to take its runs from a blocked process. */
export interface BlockedPolicy {
  readonly type: string;
  readonly graceMs: number;
  readonly maxCrashes: number;
}

/** How many runs of a type are past their hard limit in a process. */
export async function countOverdueRuns(link: Link, { type, graceMs }: BlockedPolicy, workerNumber: bigint): Promise<number> {
  let count = 0;
  for (let offset = 0; ; offset += MAX_JOBS_PER_CALL) {
    const { seen, jobs } = await overdue(link, type, workerNumber, { graceMs, offset, limit: MAX_JOBS_PER_CALL });
    count += jobs.length;
    if (seen < MAX_JOBS_PER_CALL) return count;
  }
}

/**
 * Takes all runs of a type that are past their hard limit from a process whose event loop is blocked, and answers with them in
 * their new state. They count as crashed: one of them blocks the loop, the others could not end, and nobody knows which is which.
 * @param blameShared it may as well be a handler that blocks whose time is not over, or whose run was taken before.
 */
export function crashOverdueRuns(
  link: Link,
  { type, graceMs, maxCrashes }: BlockedPolicy,
  workerNumber: bigint,
  blameShared: boolean,
  keep: { readonly keepFinished: boolean; readonly keepFailed: boolean },
): Promise<readonly StoredJob[]> {
  const { keepFinished, keepFailed } = keep;
  const errors = { crashJson: LOOP_BLOCKED_JSON, poisonJson: poisonJson(maxCrashes) };
  const call = { type, workerNumber, graceMs, maxCrashes, blameShared, keepFinished, keepFailed, ...errors };
  return takeOverdue(MAX_JOBS_PER_CALL, (page) => crashOverdue(link, { ...call, ...page }));
}
