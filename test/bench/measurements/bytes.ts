import { drain } from '../drain.js';
import type { Measure } from './measurement.js';

const SLOTS = 100;

/** Bytes of Redis' memory that a job takes while it waits, and when it has succeeded and is kept. */
export function bytes({ jobs }: { readonly jobs: number }): Measure {
  return async (stage, side, variant) => {
    const producer = await stage.producer(side);
    const workers = await stage.workers(side, 1);
    const measured = async (): Promise<number> => {
      await producer.ask({ do: 'forget_events', variant });
      return (await stage.redis.read()).bytes;
    };
    // Scripts and what a type has but once are there before the count begins.
    await stage.fill(side, variant, 100);
    await stage.redis.clear();
    const empty = await measured();
    await stage.fill(side, variant, jobs);
    const queued = await measured();
    await drain(stage, workers, { variant, slots: SLOTS, keep: true }, jobs);
    const { waiting, kept } = await producer.ask({ do: 'stored', variant });
    if (waiting !== 0 || kept !== jobs) throw new Error(`${side}: of ${jobs} jobs ${waiting} wait and ${kept} are kept.`);
    return [(queued - empty) / jobs, ((await measured()) - empty) / jobs];
  };
}
