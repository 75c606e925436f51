import { percentile } from '../../support/percentile.js';
import type { Sample } from './sample.js';

/** What something measured on the median: in the first part of the time in which it ought to be steady, and in the last. */
export interface Growth {
  readonly early: number;
  readonly late: number;
  readonly flat: boolean;
}

/** By the name of what was measured. */
export type Growths = Readonly<Record<string, Growth>>;

/** Shares of the whole time. Before the first, caches fill and the first jobs have not come to the end of their retention. */
const EARLY = { from: 0.3, to: 0.5 };
const LATE = { from: 0.8, to: 1 };
const MOST_GROWTH = 1.1;
/** So much more is noise, however little there was. */
const SLACK: Readonly<Record<string, number>> = { keys: 200, redis_bytes: 2 ** 20, connections: 2, files: 0 };
const HEAP_SLACK = 4 * 2 ** 20;

/** @param samples in order of time, evenly spaced */
export function growthsOf(samples: readonly Sample[]): Growths {
  const names = Object.keys(samples[0] ?? {});
  return Object.fromEntries(
    names.map((name) => [
      name,
      growthOf(
        samples.map((sample) => sample[name] ?? 0),
        SLACK[name] ?? HEAP_SLACK,
      ),
    ]),
  );
}

function growthOf(values: readonly number[], slack: number): Growth {
  const [early, late] = [EARLY, LATE].map(({ from, to }) =>
    percentile(values.slice(values.length * from, values.length * to), 0.5),
  );
  if (early === undefined || late === undefined) throw new Error('There are no values.');
  return { early, late, flat: late <= early * MOST_GROWTH + slack };
}
