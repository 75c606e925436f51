import type { Logger } from '@antrean/platform';
import { JobAbortedError } from '../../definition/errors.js';
import type { JobCatalog } from '../../definition/job-catalog.js';
import type { Handles, JobContext } from '../../definition/job-context.js';
import type { JobDefinition } from '../../definition/job-definition.js';
import { IsolatePool } from './isolate-pool.js';
import type { Isolate } from './isolate.js';
import { IsolatedRun, type Outcome } from './isolated-run.js';

/** A thread without a job is kept for this long. */
const IDLE_MS = 60_000;

export interface IsolationOptions {
  readonly definition: JobDefinition;
  /** Its default export is the Nest module that provides the type's handler. */
  readonly file: URL;
  /** Jobs at once, and so threads at most. */
  readonly concurrency: number;
  /** Where the types of child jobs are found. */
  readonly catalog: JobCatalog;
  readonly logger: Logger;
  /** The most that the JavaScript objects of one thread may take, in MiB. Default: what Node gives a thread. */
  readonly maxHeapMb?: number | undefined;
  /** A thread without a job ends after this long. Default 1 min. */
  readonly idleMs?: number;
}

/** Runs the jobs of a type in threads of their own, one job a thread at a time, as if their handler were here. */
export class IsolatedHandler implements Handles<JobDefinition> {
  private readonly pool: IsolatePool;
  private readonly byJob = new Map<string, IsolatedRun>();
  /** Jobs without a thread, first come first served, each with who is told once it has one. */
  private readonly line = new Map<IsolatedRun, () => void>();
  private readonly placed = new Map<IsolatedRun, Isolate>();
  private open = false;

  constructor(private readonly options: IsolationOptions) {
    const { definition, file, concurrency, maxHeapMb, idleMs = IDLE_MS } = options;
    const { type } = definition;
    const logger = options.logger.child({ job_type: type });
    this.pool = new IsolatePool({ type, file, maxHeapMb, logger }, concurrency, idleMs, {
      changed: () => {
        this.assign();
      },
      cannotStart: (error) => {
        failAll(this.line.keys(), error);
      },
      cutOff: () => {
        failAll(this.placed.keys(), new JobAbortedError('shutdown'));
      },
    });
  }

  /** The threads there are, those included that are on their way up or down. */
  get threads(): number {
    return this.pool.threads;
  }

  /** Takes jobs from now on. Threads are started when there are jobs for them. */
  start(): void {
    this.open = true;
  }

  /**
   * Takes no more jobs; those in hand have `graceMs` to end. Then they are rejected with `JobAbortedError` `shutdown`, and their threads
   * ended. Resolves when no thread is left, at the latest a second later.
   */
  async close(graceMs: number): Promise<void> {
    this.open = false;
    failAll(this.line.keys(), new JobAbortedError('shutdown'));
    await this.pool.close(graceMs);
  }

  /**
   * Settles as the handler in the thread does.
   * @param onPlaced told when there is a thread and the job is handed to it.
   * @throws {ThreadDiedError} the thread ended under the job
   * @throws {ThreadBootError} no thread can be started
   * @throws {JobAbortedError} the signal fired before there was a thread; or the thread was ended by `terminate` or `close`
   */
  async handle(context: JobContext, onPlaced: () => void = () => undefined): Promise<unknown> {
    if (!this.open) throw new JobAbortedError('shutdown');
    context.signal.throwIfAborted();
    return new Promise((resolve, reject) => {
      this.enter(context, { resolve, reject }, onPlaced);
    });
  }

  /** Ends the thread of the job in the middle of whatever it does; the promise of `handle` is rejected at once. */
  terminate(jobId: string): void {
    const run = this.byJob.get(jobId);
    if (run === undefined) return;
    const isolate = this.placed.get(run);
    run.fail(new JobAbortedError('timed_out'));
    isolate?.kill();
  }

  private enter(context: JobContext, outcome: Outcome, onPlaced: () => void): void {
    const { jobId, signal } = context;
    const onAbort = (): void => {
      const isolate = this.placed.get(run);
      if (isolate === undefined) run.fail(signal.reason);
      else isolate.abort(signal.reason);
    };
    const leave = (): void => {
      signal.removeEventListener('abort', onAbort);
      this.byJob.delete(jobId);
      this.line.delete(run);
      this.placed.delete(run);
    };
    const run = new IsolatedRun(context, this.options.catalog, {
      resolve: (result) => {
        leave();
        outcome.resolve(result);
      },
      reject: (error) => {
        leave();
        outcome.reject(error);
      },
    });
    signal.addEventListener('abort', onAbort);
    this.byJob.set(jobId, run);
    this.line.set(run, onPlaced);
    this.assign();
  }

  private assign(): void {
    for (const [run, onPlaced] of this.line) {
      const isolate = this.pool.take();
      if (isolate === undefined) break;
      this.line.delete(run);
      this.placed.set(run, isolate);
      onPlaced();
      isolate.assign(run);
    }
    this.pool.provide(this.line.size);
  }
}

function failAll(runs: Iterable<IsolatedRun>, error: Error): void {
  for (const run of runs) run.fail(error);
}
