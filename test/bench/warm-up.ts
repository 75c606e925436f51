import { drain } from './drain.js';
import { VARIANTS } from './plan.js';
import type { WarmUp } from './stage.js';

const SLOTS = 100;

/** Work like that which is measured, and not counted: compilers come to rest, and scripts are loaded. */
export function warmUps(jobs: number): { readonly producer: WarmUp; readonly worker: WarmUp } {
  return {
    producer: async (stage, _side, producer) => {
      if (jobs === 0) return;
      for (const variant of VARIANTS) {
        await stage.redis.clear();
        for (const inFlight of [1, SLOTS]) {
          await producer.ask({ do: 'submit', variant, jobs: inFlight === 1 ? jobs / 5 : jobs, inFlight, batch: 1 });
        }
      }
    },
    worker: async (stage, side, worker) => {
      if (jobs === 0) return;
      for (const variant of VARIANTS) {
        await stage.fill(side, variant, jobs);
        await drain(stage, [worker], { variant, slots: SLOTS, keep: false }, jobs);
      }
    },
  };
}
