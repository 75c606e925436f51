import type { JobStatus } from '../definition/job-status.js';
import type { Run, RunError } from '../store/trail.js';

export type { Run, RunError, RunOutcome } from '../store/trail.js';

/** Why a job that does not run does not run. `position` is about its place in line, from 1. */
export interface WaitingOn {
  readonly reason: 'schedule' | 'backoff' | 'no_worker' | 'worker';
  readonly detail: string;
  readonly until: Date | null;
  readonly position: number | null;
}

/** How far a running job is, as its handler told last. */
export interface Progress {
  /** 0 to 100. */
  readonly percent: number;
  readonly message: string | null;
  readonly data: unknown;
  readonly updatedAt: Date;
}

/** One line that a handler wrote to its job's log. */
export interface LogLine {
  readonly at: Date;
  readonly level: 'info' | 'warn' | 'error';
  readonly attempt: number;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Everything known about a job at one moment. Times are Redis' clock. */
export interface Job {
  readonly jobId: string;
  readonly type: string;
  readonly payloadVersion: number;
  readonly status: JobStatus;
  readonly priority: number;
  readonly userId: string | null;
  readonly tags: readonly string[];
  readonly metadata: Readonly<Record<string, string>>;
  readonly payload: unknown;
  /** The number of the latest run that counts; 0 before the first. */
  readonly attempt: number;
  readonly maxAttempts: number;
  /** Runs that ended because their worker was lost, or its event loop blocked, since the submit or the latest replay. */
  readonly crashes: number;
  readonly timeoutMs: number;
  readonly traceId: string;
  readonly requestId: string | null;
  readonly createdAt: Date;
  readonly runAt: Date;
  readonly startedAt: Date | null;
  readonly finishedAt: Date | null;
  readonly lastFailedAt: Date | null;
  readonly nextAttemptAt: Date | null;
  /** The job expires then unless it is running; null when it may wait for ever. */
  readonly expiresAt: Date | null;
  /** When the running job was asked to stop. */
  readonly cancelRequestedAt: Date | null;
  readonly progress: Progress | null;
  readonly result: unknown;
  /** The last error; null after success. */
  readonly error: RunError | null;
  /** The latest runs, oldest first, at most 50. */
  readonly runs: readonly Run[];
  readonly waitingOn: WaitingOn | null;
  readonly dedupeKey: string | null;
  readonly replays: number;
  /** The worker of the current run; null when none runs. */
  readonly workerId: string | null;
  /** Goes up with every change of the job. */
  readonly revision: number;
}
