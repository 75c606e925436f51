import type { JobDefinition } from '../definition/job-definition.js';

/** A run waits this long at most for a thread, and its time counts from then on. */
export const THREAD_WAIT_MS = 30_000;
/** Before it asks for one it reads what earlier runs left, which takes no longer than a command to Redis may. */
const READ_MS = 5_000;

/**
 * How long past its timeout a run may be under way by Redis' clock, which counts from the claim and knows of no wait for a thread:
 * whoever settles runs for a worker that cannot is not to cut short one that waited.
 */
export function longestGraceMs({ graceMs, isolation }: Pick<JobDefinition, 'graceMs' | 'isolation'>): number {
  return isolation === 'thread' ? graceMs + READ_MS + THREAD_WAIT_MS : graceMs;
}

/** What is to happen when a run takes too long. */
export interface TimeLimits {
  readonly timeoutMs: number;
  readonly soft: () => void;
  /** So long after the soft limit comes the hard one. */
  readonly graceMs: number;
  readonly hard: () => void;
}

/** Watches how long a run waits to begin, and how long it takes from then on. */
export class RunClock {
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly limits: TimeLimits) {}

  /** The run cannot begin yet; `late` is called when it has not within so many milliseconds. */
  wait(ms: number, late: () => void): void {
    this.timer = setTimeout(late, ms);
  }

  /** From now on the time counts. */
  begin(): void {
    const { timeoutMs, soft, graceMs, hard } = this.limits;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      soft();
      this.timer = setTimeout(hard, graceMs);
    }, timeoutMs);
  }

  stop(): void {
    clearTimeout(this.timer);
  }
}
