import type { JobStatus } from '../definition/job-status.js';

/** How one run of a job ended; null while it goes on. */
export type RunOutcome = 'succeeded' | 'failed' | 'timed_out' | 'snoozed' | 'crashed' | 'handed_back' | 'cancelled';

/** One run in a job's trail. */
export interface Run {
  /** Counts every run from 1, those that used no attempt included. */
  readonly number: number;
  readonly workerId: string;
  readonly startedAt: Date;
  readonly finishedAt: Date | null;
  readonly outcome: RunOutcome | null;
  readonly error: RunError | null;
  /** When the job was to run again, as decided at the end of this run. */
  readonly nextAttemptAt: Date | null;
}

export interface RunError {
  readonly name: string;
  readonly code: string;
  readonly message: string;
}

/** Why a job that does not run does not run. `position` is about its place in line, from 1. */
export interface WaitingOn {
  readonly reason: 'schedule' | 'backoff' | 'worker';
  readonly detail: string;
  readonly until: Date | null;
  readonly position: number | null;
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
}
