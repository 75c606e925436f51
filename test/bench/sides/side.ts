import type { BenchJob } from '../job.js';

/** Whether payloads are checked against their class, at the submit and before the handler. */
export type Variant = 'plain' | 'validated';

export interface WorkerSettings {
  readonly variant: Variant;
  /** Jobs that the worker runs at once. */
  readonly slots: number;
  /** Whether finished jobs stay in Redis. */
  readonly keep: boolean;
}

/** A worker that is connected and up, but takes no jobs before it is started. */
export interface OpenWorker {
  start(): void;
  /** Jobs that Redis knows to be finished. */
  settled(): Promise<number>;
  close(): Promise<void>;
}

/** How many jobs of one variant lie in Redis. */
export interface Stored {
  readonly waiting: number;
  readonly kept: number;
}

/** One of the systems that are compared, as its documents say it is used best. */
export interface Side {
  /** @param inFlight how many are submitted at a time, for those who have a setting for that. */
  submit(variant: Variant, job: BenchJob, inFlight: number): Promise<unknown>;
  submitBulk(variant: Variant, jobs: readonly BenchJob[]): Promise<unknown>;
  /** @param onRun is called by the handler, which does nothing else, with the number of the job. */
  openWorker(settings: WorkerSettings, onRun: (number: number) => void): Promise<OpenWorker>;
  stored(variant: Variant): Promise<Stored>;
  /** Clears what does not grow with the number of jobs, so that it is not taken for a part of them. */
  forgetEvents(variant: Variant): Promise<unknown>;
}

/** Connects to Redis. */
export type OpenSide = (redisUrl: string) => Promise<Side>;
