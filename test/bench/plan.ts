import { bytes } from './measurements/bytes.js';
import { drains } from './measurements/drain.js';
import { enqueue } from './measurements/enqueue.js';
import { idle } from './measurements/idle.js';
import type { Measure } from './measurements/measurement.js';
import type { Variant } from './sides/side.js';
import type { Sizes } from './sizes.js';

export type Unit = 'jobs/s' | 'ms' | 'bytes' | 'us' | 'calls';

/** A measurement and the figures that come out of each run of it. */
export interface Measurement {
  /** Names in the order of the numbers that a run gives; numbers without a name are not shown. */
  readonly figures: readonly (readonly [name: string, unit: Unit])[];
  /** What is done, for the reader. */
  readonly setting: string;
  readonly measure: Measure;
  /** What the same amounts to with a bare list in Redis; undefined where that says nothing. */
  readonly bare?: string;
}

export const VARIANTS: readonly Variant[] = ['plain', 'validated'];

const SLOTS_A_PROCESS = 200;
const BATCH = 1_000;

/** All that is measured. Each also runs with payloads that are validated; those figures end in `.validated`. */
export function plan(sizes: Sizes): readonly Measurement[] {
  const drain = (slots: keyof Sizes['drain']) => ({ jobs: sizes.drain[slots], processes: 1, slots, keep: false });
  const describe = ({ jobs, slots }: { jobs: number; slots: number }) => `${jobs} queued jobs, ${slots} slots, removed when done`;
  return [
    {
      figures: [['enqueue.1', 'jobs/s']],
      setting: `${sizes.enqueueOne} jobs, one after the other`,
      measure: enqueue({ jobs: sizes.enqueueOne, inFlight: 1 }),
      bare: 'LPUSH',
    },
    {
      figures: [
        ['enqueue.100', 'jobs/s'],
        ['redis_us.enqueue', 'us'],
        ['node_us.enqueue', 'us'],
      ],
      setting: `${sizes.enqueueMany} jobs, 100 submits in flight`,
      measure: enqueue({ jobs: sizes.enqueueMany, inFlight: 100 }),
      bare: 'LPUSH',
    },
    {
      figures: [['enqueue.bulk', 'jobs/s']],
      setting: `${sizes.enqueueBulk} jobs, ${BATCH} a call, one call at a time`,
      measure: enqueue({ jobs: sizes.enqueueBulk, inFlight: 1, batch: BATCH }),
      bare: `LPUSH of ${BATCH.toLocaleString('en')}`,
    },
    ...([1, 10] as const).map((slots) => ({
      figures: [[`drain.removed.${slots}`, 'jobs/s'] as const],
      setting: describe(drain(slots)),
      measure: drains(drain(slots)),
      bare: 'RPOP',
    })),
    {
      figures: [
        ['drain.removed.100', 'jobs/s'],
        ['redis_us.removed', 'us'],
        ['script_us.removed', 'us'],
        ['script_calls.removed', 'calls'],
        ['node_us.removed', 'us'],
      ],
      setting: describe(drain(100)),
      measure: drains(drain(100)),
      bare: 'RPOP',
    },
    { figures: [['drain.removed.500', 'jobs/s']], setting: describe(drain(500)), measure: drains(drain(500)), bare: 'RPOP' },
    {
      figures: [
        ['drain.kept.100', 'jobs/s'],
        ['redis_us.kept', 'us'],
        ['script_us.kept', 'us'],
        ['script_calls.kept', 'calls'],
        ['node_us.kept', 'us'],
      ],
      setting: `${sizes.drain[100]} queued jobs, 100 slots, kept when done`,
      measure: drains({ ...drain(100), keep: true }),
    },
    ...[1, 2, 4].map((processes) => ({
      figures: [[`processes.${processes}`, 'jobs/s'] as const],
      setting: `${sizes.processes} queued jobs, ${processes} × ${SLOTS_A_PROCESS} slots, removed when done`,
      measure: drains({ jobs: sizes.processes, processes, slots: SLOTS_A_PROCESS, keep: false }),
    })),
    {
      figures: [
        ['idle.p50', 'ms'],
        ['idle.p99', 'ms'],
      ],
      setting: `${sizes.idle} jobs a round, each submitted to a worker that waits, to the start of its handler in another process`,
      measure: idle({ samples: sizes.idle }),
      bare: 'LPUSH to a waiting BRPOP',
    },
    {
      figures: [
        ['bytes.queued', 'bytes'],
        ['bytes.kept', 'bytes'],
      ],
      setting: `${sizes.bytes} jobs with a trace context, no dedupe key, no tags`,
      measure: bytes({ jobs: sizes.bytes }),
    },
  ];
}

/** What a figure is called: those with validated payloads say so. */
export function nameOf(figure: string, variant: Variant): string {
  return variant === 'plain' ? figure : `${figure}.${variant}`;
}

export function figureNames(measurements: readonly Measurement[]): string[] {
  return measurements.flatMap(({ figures }) => figures.flatMap(([name]) => VARIANTS.map((variant) => nameOf(name, variant))));
}
