/** How much is done in one run. Numbers of jobs are multiples of 100, for bulks of 1,000. */
export interface Sizes {
  readonly rounds: number;
  /** Done by each process before it is measured; 0 leaves it cold. */
  readonly warmUp: number;
  readonly enqueueOne: number;
  readonly enqueueMany: number;
  readonly enqueueBulk: number;
  /** By number of slots. */
  readonly drain: Readonly<Record<1 | 10 | 100 | 500, number>>;
  readonly processes: number;
  readonly idle: number;
  readonly bytes: number;
}

export const SIZES = {
  full: {
    rounds: 5,
    warmUp: 10_000,
    enqueueOne: 10_000,
    enqueueMany: 50_000,
    enqueueBulk: 100_000,
    drain: { 1: 10_000, 10: 30_000, 100: 50_000, 500: 50_000 },
    processes: 100_000,
    idle: 1_000,
    bytes: 50_000,
  },
  quick: {
    rounds: 3,
    warmUp: 5_000,
    enqueueOne: 1_500,
    enqueueMany: 8_000,
    enqueueBulk: 12_000,
    drain: { 1: 1_500, 10: 5_000, 100: 8_000, 500: 8_000 },
    processes: 10_000,
    idle: 100,
    bytes: 8_000,
  },
  /** Enough to see that every figure can be measured, for the test of the benchmark itself. */
  tiny: {
    rounds: 1,
    warmUp: 0,
    enqueueOne: 100,
    enqueueMany: 300,
    enqueueBulk: 1_000,
    drain: { 1: 100, 10: 200, 100: 300, 500: 300 },
    processes: 300,
    idle: 5,
    bytes: 2_000,
  },
} as const satisfies Record<string, Sizes>;
