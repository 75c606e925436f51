import { MAX_JOBS_PER_CALL } from '../store/bounds.js';
import { crashOverdue } from '../store/crash-overdue.js';
import type { Link } from '../store/link.js';
import { takeOverdue } from '../store/overdue.js';
import type { StoredJob } from '../store/reply.js';
import { LOOP_BLOCKED_JSON, poisonJson } from './crash-errors.js';

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
  const errors = { crashJson: LOOP_BLOCKED_JSON, poisonJson: poisonJson(maxCrashes) };
  const call = { type, workerNumber, graceMs, maxCrashes, keepFinished, keepFailed, ...errors };
  return takeOverdue(MAX_JOBS_PER_CALL, (page) => crashOverdue(link, { ...call, ...page }));
}
