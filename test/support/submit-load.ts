import { setTimeout as pause } from 'node:timers/promises';
import { QueueUnavailableError } from '@antrean/jobs';
import { eventually } from './eventually.js';
import type { JobsApp } from './jobs-app.js';
import { PathJob } from './path-job.js';

/** One submitter a lane, so that some submits are always under way. */
const LANES = 8;
const EVERY_MS = 20;

/** A submit that was answered. */
export interface Accepted {
  readonly jobId: string;
  /** In ms of the monotonic clock, when the answer came. */
  readonly at: number;
}

/** Submits jobs without a pause, whatever happens to Redis meanwhile. */
export class SubmitLoad {
  readonly accepted: Accepted[] = [];
  /** Jobs of which nobody knows whether they were accepted. */
  readonly unknown: string[] = [];
  /** How many were refused, and surely not written. */
  refused = 0;
  private ended = false;
  private readonly lanes: Promise<unknown>;

  private constructor(private readonly app: JobsApp) {
    this.lanes = Promise.all(Array.from({ length: LANES }, () => this.submitAgainAndAgain()));
  }

  /** Submits while `work` goes on; resolves when that has ended and nothing waits or runs any more. */
  static async during(app: JobsApp, work: (load: SubmitLoad) => Promise<void>): Promise<SubmitLoad> {
    const load = new SubmitLoad(app);
    try {
      await work(load);
    } finally {
      load.ended = true;
      await load.lanes;
    }
    await load.drained();
    return load;
  }

  /** Resolves when so many more were accepted. */
  readonly more = async (count: number): Promise<void> => {
    const goal = this.accepted.length + count;
    await eventually(() => {
      if (this.accepted.length < goal) throw new Error(`${this.accepted.length} of ${goal} were accepted.`);
    }, 30_000);
  };

  /** Resolves when one was accepted after this time of the monotonic clock. */
  readonly beyond = async (at: number): Promise<void> => {
    await eventually(() => {
      if ((this.accepted.at(-1)?.at ?? 0) < at) throw new Error('None was accepted.');
    }, 30_000);
  };

  /** Resolves when of so many more nobody knows whether they were accepted. */
  readonly unsure = async (count: number): Promise<void> => {
    const goal = this.unknown.length + count;
    await eventually(() => {
      if (this.unknown.length < goal) throw new Error(`Of ${this.unknown.length} jobs, not ${goal}, it is unknown.`);
    }, 30_000);
  };

  /** What is not there any more. All others must have succeeded without a crash. */
  async lost(): Promise<readonly Accepted[]> {
    const lost: Accepted[] = [];
    for (const one of this.accepted) {
      // A Sentinel on a busy machine may take the new master for dead as well.
      const job = await eventually(() => this.app.status.get(one.jobId));
      if (job === undefined) lost.push(one);
      else expect(job).toMatchObject({ status: 'succeeded', crashes: 0 });
    }
    return lost;
  }

  private async drained(): Promise<void> {
    await eventually(async () => {
      const { counts } = await this.app.status.depth(PathJob.type);
      const { queued, processing, retrying } = counts;
      if (queued + processing + retrying > 0) throw new Error(JSON.stringify(counts));
    }, 30_000);
  }

  private async submitAgainAndAgain(): Promise<void> {
    while (!this.ended) {
      try {
        const { jobId } = await this.app.queue.enqueue(PathJob, { act: 'return' });
        this.accepted.push({ jobId, at: performance.now() });
      } catch (error) {
        if (!(error instanceof QueueUnavailableError)) throw error;
        if (error.outcome === 'unknown') this.unknown.push(error.jobId ?? '');
        else this.refused += 1;
      }
      await pause(EVERY_MS);
    }
  }
}
