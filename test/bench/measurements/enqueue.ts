import type { Measure } from './measurement.js';

/** How submits are made. With more than one a batch, a call submits so many together. */
export interface EnqueueSettings {
  readonly jobs: number;
  readonly inFlight: number;
  readonly batch?: number;
}

/** Jobs accepted a second by one process; then, of each, the processor time in Redis and in that process, in microseconds. */
export function enqueue({ jobs, inFlight, batch = 1 }: EnqueueSettings): Measure {
  return async (stage, side, variant) => {
    const producer = await stage.producer(side);
    await stage.redis.clear();
    const before = await stage.redis.read();
    const { seconds, cpuUs } = await producer.ask({ do: 'submit', variant, jobs, inFlight, batch });
    const after = await stage.redis.read();
    const { waiting } = await producer.ask({ do: 'stored', variant });
    // A batch more for each stream that had begun when the last job was given out.
    if (waiting < jobs) throw new Error(`${side}: ${jobs} jobs were submitted, ${waiting} are waiting.`);
    return [waiting / seconds, (after.cpuUs - before.cpuUs) / waiting, cpuUs / waiting];
  };
}
