import { setTimeout as sleep } from 'node:timers/promises';
import type { Child } from '../child-process.js';
import { percentile } from '../statistics.js';
import type { Variant } from '../sides/side.js';
import type { Measure } from './measurement.js';

const SLOTS = 10;
/** Between two jobs, so that the worker has settled the last one and waits again. */
const GAP_MS = 4;
const PATIENCE_MS = 10_000;

/** Milliseconds from the submit of a job in one process to the start of its handler in another that waits for it: p50, p99. */
export function idle({ samples }: { readonly samples: number }): Measure {
  return async (stage, side, variant) => {
    const producer = await stage.producer(side);
    const [worker] = await stage.workers(side, 1);
    if (worker === undefined) throw new Error('There is no worker.');
    await stage.redis.clear();
    await worker.ask({ do: 'open_worker', settings: { variant, slots: SLOTS, keep: false }, report: 'runs' });
    try {
      await worker.ask({ do: 'start_worker' });
      const lags: number[] = [];
      // The first ones make connections and compile code.
      for (let number = -WARM_UP; number < samples; number += 1) {
        const lag = await lagOf(producer, worker, variant, WARM_UP + number);
        if (number >= 0) lags.push(lag);
        await sleep(GAP_MS);
      }
      return [percentile(lags, 50), percentile(lags, 99)];
    } finally {
      await worker.ask({ do: 'close_worker' });
    }
  };
}

const WARM_UP = 10;

async function lagOf(producer: Child, worker: Child, variant: Variant, number: number): Promise<number> {
  const started = new Promise<number>((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new Error(`Job ${number} was not started within ${PATIENCE_MS / 1_000} s.`));
    }, PATIENCE_MS);
    worker.onReport = (report) => {
      if (report.report !== 'runs' || report.number !== number) return;
      clearTimeout(timer);
      resolve(report.atMs);
    };
  });
  const { atMs } = await producer.ask({ do: 'submit_one', variant, number });
  return (await Promise.race([started, worker.failure])) - atMs;
}
