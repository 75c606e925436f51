import { drain, type Drained } from '../drain.js';
import type { Measure } from './measurement.js';

export interface DrainSettings {
  readonly jobs: number;
  readonly processes: number;
  /** A process. */
  readonly slots: number;
  readonly keep: boolean;
}

/**
 * Jobs done a second, all of them queued beforehand; then, of each: processor time of Redis, time within its scripts (both in
 * microseconds), calls of scripts, processor time of the workers (in microseconds).
 */
export function drains({ jobs, processes, slots, keep }: DrainSettings): Measure {
  return async (stage, side, variant) => {
    const workers = await stage.workers(side, processes);
    await stage.fill(side, variant, jobs);
    const drained = await drain(stage, workers, { variant, slots, keep }, jobs);
    return readingOf(drained, jobs);
  };
}

function readingOf({ seconds, redis, workerCpuUs }: Drained, jobs: number): readonly number[] {
  return [jobs / seconds, redis.cpuUs / jobs, redis.scriptUs / jobs, redis.scriptCalls / jobs, workerCpuUs / jobs];
}
