import fc from 'fast-check';
import { DEDUPE_POLICIES } from '@antrean/jobs';
import type { Settlement } from '../../libs/jobs/src/store/exchange.js';
import type { NewRecord } from '../../libs/jobs/src/store/record.js';
import { LEASE_MS } from './stored-queue.js';

export const RETENTION_MS = 60_000;
export const DEAD_RETENTION_MS = 120_000;
/** No sum of clock jumps comes near it, so that a few real milliseconds decide nothing. */
export const DEDUPE_TTL_MS = 47_777;

export type JobShape = Pick<NewRecord, 'priority' | 'maxAttempts' | 'dedupe'> & { readonly delayMs: number };

/** Is about one of the jobs that run or were ever claimed, under the first or the latest token it was claimed with. */
export interface SettlePlan {
  readonly of: 'running' | 'claimed';
  readonly job: number;
  readonly token: 'first' | 'latest';
  readonly settlement: Settlement;
}

export interface LaneOf {
  readonly worker: number;
  readonly lane: 0 | 1;
}

/** One thing that may be done to a queue. The numbers in it are drawn blindly and fitted to what is there. */
export type Command =
  | { readonly kind: 'enqueue'; readonly jobs: readonly JobShape[] }
  | { readonly kind: 'enqueue_again'; readonly job: number }
  | ({
      readonly kind: 'exchange';
      readonly want: number | 'pass_on';
      readonly keep: boolean;
      readonly settles: readonly SettlePlan[];
    } & LaneOf)
  | ({ readonly kind: 'exchange_again' } & LaneOf)
  | ({ readonly kind: 'exchange_late' } & LaneOf)
  | { readonly kind: 'promote'; readonly afterMs: number; readonly limit: number }
  | {
      readonly kind: 'reap';
      readonly afterMs: number;
      readonly limit: number;
      readonly maxCrashes: number;
      readonly keep: boolean;
    }
  | { readonly kind: 'sweep'; readonly afterMs: number; readonly limit: number }
  | { readonly kind: 'heartbeat'; readonly worker: number }
  | { readonly kind: 'move_clock'; readonly byMs: number };

const limit = fc.integer({ min: 1, max: 4 });
const delayMs = fc.constantFrom(0, 5_000, 60_000);
const laneOf = { worker: fc.nat(1), lane: fc.constantFrom<0 | 1>(0, 1) };
const outcome = fc.constantFrom<'failed' | 'timed_out'>('failed', 'timed_out');
const error = fc.constant('{"name":"Error","code":"error","message":"x"}');

const settlement: fc.Arbitrary<Settlement> = fc.oneof(
  fc.record({ event: fc.constant('succeed' as const), json: fc.constantFrom('', 'null', '{"ok":true}') }),
  fc.record({ event: fc.constant('retry' as const), outcome, delayMs, json: error }),
  fc.record({ event: fc.constant('bury' as const), outcome, json: error }),
  fc.record({ event: fc.constant('snooze' as const), delayMs, json: error }),
  fc.record({ event: fc.constant('hand_back' as const), delayMs: fc.constantFrom(0, 1_000) }),
);

const settlePlan: fc.Arbitrary<SettlePlan> = fc.record({
  of: fc.constantFrom('running', 'running', 'running', 'claimed'),
  job: fc.nat(),
  token: fc.constantFrom('latest', 'latest', 'latest', 'first'),
  settlement,
});

const jobShape: fc.Arbitrary<JobShape> = fc.record({
  priority: fc.constantFrom(0, 5, 9),
  maxAttempts: fc.integer({ min: 1, max: 3 }),
  delayMs: fc.constantFrom(0, 0, 0, 5_000),
  dedupe: fc.oneof(
    fc.constant(undefined),
    fc.constant(undefined),
    fc.record({ policy: fc.constantFrom(...DEDUPE_POLICIES), key: fc.constantFrom('a', 'b') }),
  ),
});

const exchange = fc.record({
  kind: fc.constant('exchange' as const),
  ...laneOf,
  want: fc.oneof({ weight: 5, arbitrary: fc.nat(3) }, { weight: 1, arbitrary: fc.constant('pass_on' as const) }),
  keep: fc.boolean(),
  settles: fc.array(settlePlan, { minLength: 1, maxLength: 3 }),
});

const enqueue = fc.record({ kind: fc.constant('enqueue' as const), jobs: fc.array(jobShape, { minLength: 1, maxLength: 3 }) });

const promote = fc.record({ kind: fc.constant('promote' as const), afterMs: fc.constantFrom(0, 5_000, 60_000), limit });

const reap = fc.record({
  kind: fc.constant('reap' as const),
  afterMs: fc.constantFrom(0, LEASE_MS + 1),
  limit,
  maxCrashes: fc.integer({ min: 1, max: 3 }),
  keep: fc.boolean(),
});

const sweep = fc.record({
  kind: fc.constant('sweep' as const),
  afterMs: fc.constantFrom(0, RETENTION_MS + 1, DEAD_RETENTION_MS + 1),
  limit,
});

const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 8, arbitrary: exchange },
  { weight: 4, arbitrary: enqueue },
  { weight: 3, arbitrary: promote },
  { weight: 3, arbitrary: reap },
  { weight: 1, arbitrary: sweep },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('enqueue_again' as const), job: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('exchange_again' as const), ...laneOf }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('exchange_late' as const), ...laneOf }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('heartbeat' as const), worker: laneOf.worker }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('move_clock' as const), byMs: fc.constantFrom(1_000, 20_000, -10_000) }),
  },
);

/** A queue's life: from nothing, in any order. */
export const commands: fc.Arbitrary<Command[]> = fc.array(command, { minLength: 5, maxLength: 40, size: 'max' });
