import type { JobDefinition } from '../definition/job-definition.js';
import type { Ticking } from '../runtime/loop.js';
import type { WorkerOptions } from '../runtime/worker-options.js';
import { MAX_JOBS_PER_CALL } from '../store/bounds.js';
import type { Link } from '../store/link.js';
import { reap } from '../store/reap.js';
import type { JobJournal } from '../telemetry/job-journal.js';

/** Living workers need this long at least to reconnect and beat after an outage. */
const MIN_WAIT_MS = 2_000;

/** Takes back the jobs of workers that are not heard of any more. */
export class Reaper implements Ticking {
  private dueAt = Infinity;
  /** Also true at first: who starts does not know whether Redis has just come back. */
  private interrupted = true;

  constructor(
    private readonly link: Link,
    private readonly definition: JobDefinition,
    private readonly options: WorkerOptions,
    private readonly journal: JobJournal,
  ) {}

  /**
   * A lease that begins after this tick cannot end within its length, so sleeping that long misses none. When this tick
   * comes late (Redis was away, the machine slept), living workers are first given one heartbeat to be heard.
   */
  async tick(): Promise<number> {
    const beatMs = this.options.leaseMs / 6;
    if (this.interrupted || performance.now() > this.dueAt + beatMs) {
      this.interrupted = true;
      await this.link.redis.time();
      this.interrupted = false;
      return this.next(Math.max(beatMs, MIN_WAIT_MS));
    }
    this.interrupted = true;
    const { nextEndInMs = this.options.leaseMs, workerNumber, jobs } = await reap(this.link, this.call());
    this.interrupted = false;
    for (const job of jobs) this.journal.reaped(this.definition.type, job, workerNumber ?? '');
    return this.next(Math.min(nextEndInMs, this.options.leaseMs));
  }

  private next(inMs: number): number {
    this.dueAt = performance.now() + inMs;
    return inMs;
  }

  private call() {
    const { type, maxCrashes } = this.definition;
    return {
      type,
      limit: MAX_JOBS_PER_CALL,
      maxCrashes,
      keepFailed: this.options.deadRetentionMs > 0,
      crashJson: JSON.stringify({
        name: 'WorkerLostError',
        code: 'worker_lost',
        message: 'The worker that ran the job was not heard of any more.',
      }),
      poisonJson: JSON.stringify({
        name: 'PoisonError',
        code: 'poison',
        message: `The worker was lost while it ran the job, ${maxCrashes} times in a row. The job may be what kills it.`,
      }),
    };
  }
}
