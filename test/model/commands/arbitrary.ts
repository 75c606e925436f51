import fc from 'fast-check';
import type { DedupePolicy, End } from '../rules/job.js';
import type { Ending } from '../rules/settle.js';
import { duration, timeOfDay } from '../run/clock.js';
import type { Command, JobPicks, JobShape, NotePlan, OnLane, RunPick, SettlePlan } from './commands.js';

const ENDS: readonly End[] = ['succeeded', 'failed', 'cancelled', 'expired'];
const YEAR_STEPS = 3_153_600;

const side = fc.constantFrom<0 | 1>(0, 0, 1);
/** Some sides, workers and lanes are busier than others, so that much happens on them. */
const worker = fc.constantFrom(0, 0, 0, 1, 2);
const lane: { [K in keyof OnLane]: fc.Arbitrary<OnLane[K]> } = { side, worker, lane: fc.constantFrom<0 | 1>(0, 0, 0, 1) };
const version = fc.constantFrom(1, 1, 2);
const limit = fc.constantFrom(1, 2, 3, 50);
const mostly = (value: boolean): fc.Arbitrary<boolean> => fc.constantFrom(value, value, value, !value);
const keep = fc.record({ finished: mostly(true), failed: mostly(true) });
const delayMs = fc.constantFrom(0, duration(2), duration(20), duration(20), duration(40));
const error = fc.constantFrom('{"name":"E","code":"e","message":"x {} \\u20ac"}', '{}');
const outcome = fc.constantFrom<'failed' | 'timed_out'>('failed', 'timed_out');

function weighted<T>(first: fc.Arbitrary<T>, others: readonly (readonly [number, fc.Arbitrary<T>])[]): fc.Arbitrary<T> {
  // What is not needed to fail becomes the first when a failing life is shrunk.
  const rest = others.map(([weight, arbitrary]) => ({ weight, arbitrary }));
  return fc.oneof({ withCrossShrink: true }, { weight: 1, arbitrary: first }, ...rest);
}

const job: fc.Arbitrary<JobShape> = fc.record({
  priority: fc.constantFrom(5, 0, 9),
  maxAttempts: fc.constantFrom(1, 2, 3, 4),
  timeoutMs: fc.constantFrom(duration(2), duration(2), duration(60)),
  version: fc.constantFrom(1, 1, 1, 1, 1, 2, 2, 3),
  when: fc.oneof(
    { weight: 24, arbitrary: fc.constant(undefined) },
    { weight: 8, arbitrary: fc.record({ delayMs: fc.constantFrom(duration(2), duration(20)) }) },
    { weight: 3, arbitrary: fc.record({ atMs: fc.constantFrom(1, timeOfDay(30), timeOfDay(100)) }) },
    { weight: 1, arbitrary: fc.record({ delayMs: fc.constant(duration(YEAR_STEPS)) }) },
  ),
  deadlineMs: fc.oneof(
    { weight: 16, arbitrary: fc.constant(0) },
    { weight: 12, arbitrary: fc.constantFrom(duration(5), duration(30), duration(30), duration(30)) },
    { weight: 1, arbitrary: fc.constant(duration(1)) },
  ),
  dedupe: fc.oneof(
    { weight: 5, arbitrary: fc.constant(undefined) },
    {
      weight: 6,
      arbitrary: fc.record({
        key: fc.constantFrom('a', 'b c'),
        policy: fc.constantFrom<DedupePolicy>('ttl', 'until_started', 'until_finished', 'until_result_expires'),
      }),
    },
  ),
  once: fc.oneof(
    { weight: 6, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.record({ key: fc.constantFrom('x', 'y z'), body: fc.constantFrom('a', 'b') }) },
  ),
  webhook: fc.oneof(
    { weight: 3, arbitrary: fc.constant([]) },
    { weight: 3, arbitrary: fc.constant([...ENDS]) },
    { weight: 2, arbitrary: fc.subarray([...ENDS], { minLength: 1 }) },
  ),
});

const handBack = fc
  .record({ event: fc.constant('hand_back' as const), delayMs: fc.constantFrom(0, duration(2)), began: fc.boolean() })
  .map(({ began, ...settle }) => (began ? settle : { ...settle, neverBegan: true as const }));

const ending: fc.Arbitrary<Ending> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ event: fc.constant('succeed' as const), result: fc.constantFrom('', 'null', '{"ok":true}') }),
  },
  { weight: 11, arbitrary: fc.record({ event: fc.constant('retry' as const), outcome, delayMs, error }) },
  { weight: 3, arbitrary: fc.record({ event: fc.constant('bury' as const), outcome, error }) },
  { weight: 3, arbitrary: fc.record({ event: fc.constant('snooze' as const), delayMs, error }) },
  { weight: 5, arbitrary: handBack },
);

const run: { [K in keyof RunPick]: fc.Arbitrary<RunPick[K]> } = {
  among: fc.constantFrom('held', 'held', 'held', 'running', 'ever'),
  job: fc.nat(20),
  token: fc.constantFrom('latest', 'latest', 'latest', 'older'),
};
const settle: fc.Arbitrary<SettlePlan> = fc.record({ ...run, ending, twice: fc.constantFrom(false, false, false, false, true) });
const note: fc.Arbitrary<NotePlan> = fc.record({
  ...run,
  kind: fc.constantFrom('progress', 'checkpoint', 'log', 'step:one', 'step:two'),
  json: fc.constantFrom('1', '"a b"', '{"at":2}'),
});

const exchange = (answerLost: boolean): fc.Arbitrary<Command> =>
  fc.record({
    kind: fc.constant('exchange' as const),
    ...lane,
    want: fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom(0, 1, 2, 3) },
      { weight: 1, arbitrary: fc.constant('pass_on' as const) },
    ),
    suspects: mostly(true),
    keep,
    settles: fc.array(settle, { maxLength: 4, size: 'max' }),
    gap: fc.constantFrom(0, 0, 0, 1, 8),
    answerLost: fc.constant(answerLost),
  });

const submit = fc.record({
  kind: fc.constant('submit' as const),
  side,
  jobs: fc.array(job, { minLength: 1, maxLength: 4, size: 'max' }),
});

const crashStorm = (rounds: number, checkpoints: boolean): fc.Arbitrary<Command> =>
  fc.record({
    kind: fc.constant('crash_storm' as const),
    side,
    rounds: fc.constant(rounds),
    checkpoints: fc.constant(checkpoints),
    blocks: mostly(true),
    blameShared: checkpoints ? fc.constant(false) : fc.boolean(),
  });

const picks = (...among: JobPicks['among'][]) => ({
  side,
  among: fc.constantFrom<JobPicks['among']>(...among, ...among, 'any'),
  jobs: fc.array(fc.nat(20), { minLength: 1, maxLength: 3, size: 'max' }),
});

const command: fc.Arbitrary<Command> = weighted<Command>(fc.constant({ kind: 'nothing' }), [
  [40, exchange(false)],
  [8, exchange(true)],
  [24, submit],
  [4, fc.record({ kind: fc.constant('submit_again' as const), side, which: fc.nat(10) })],
  [6, fc.record({ kind: fc.constant('exchange_again' as const), ...lane })],
  [10, fc.record({ kind: fc.constant('exchange_late' as const), ...lane, which: fc.nat(10) })],
  [5, fc.record({ kind: fc.constant('reconcile' as const), ...lane, page: fc.integer({ min: 1, max: 3 }) })],
  [14, fc.record({ kind: fc.constant('heartbeat' as const), side, worker, afterSteps: fc.constantFrom(0, 0, 16) })],
  [14, fc.record({ kind: fc.constant('overdue' as const), side, worker, afterSteps: fc.constantFrom(0, 4, 4) })],
  [
    10,
    fc.record({
      kind: fc.constant('blocked' as const),
      side,
      worker,
      afterSteps: fc.constantFrom(0, 4, 5),
      keep,
      blameShared: fc.boolean(),
    }),
  ],
  [
    10,
    fc.record({
      kind: fc.constant('reap' as const),
      side,
      afterSteps: fc.constantFrom(0, 16, 16),
      limit: fc.constantFrom(1, 1, 2, 50),
      keep,
      settle: fc.boolean(),
      beats: fc.constantFrom(true, true, false),
    }),
  ],
  [
    14,
    fc.record({
      kind: fc.constant('promote' as const),
      side,
      afterSteps: fc.constantFrom(0, 3, 21, 31, 31),
      limit,
      keep: mostly(true),
    }),
  ],
  [
    4,
    fc.record({
      kind: fc.constant('sweep' as const),
      side,
      afterSteps: fc.constantFrom(0, 61, 121),
      limit,
      maxFailed: fc.constantFrom(1, 2, 100),
    }),
  ],
  [5, fc.record({ kind: fc.constant('rouse' as const), side })],
  [9, fc.record({ kind: fc.constant('cancel' as const), ...picks('retrying') })],
  [5, fc.record({ kind: fc.constant('cancel' as const), ...picks('running', 'running') })],
  [
    48,
    fc.record({
      kind: fc.constant('replay' as const),
      ...picks('succeeded', 'succeeded', 'succeeded', 'succeeded', 'finished', 'failed'),
      edit: mostly(false),
    }),
  ],
  [36, fc.record({ kind: fc.constant('remove' as const), ...picks('succeeded', 'succeeded', 'failed') })],
  [10, fc.record({ kind: fc.constant('write' as const), side, worker, notes: fc.array(note, { minLength: 1, maxLength: 4 }) })],
  [
    8,
    fc.record({
      kind: fc.constant('relay' as const),
      side,
      limit: fc.constantFrom(1, 2, 16),
      drops: fc.constantFrom('these', 'these_twice', 'these_twice', 'none', 'earlier'),
    }),
  ],
  [6, fc.record({ kind: fc.constant('look' as const), side, job: fc.nat(20) })],
  [5, fc.record({ kind: fc.constant('move_clock' as const), bySteps: fc.constantFrom(5, 16, 40, -4, -10) })],
  [5, fc.record({ kind: fc.constant('crash' as const), worker, version })],
  [2, fc.record({ kind: fc.constant('leave' as const), worker, version })],
  [3, fc.constant({ kind: 'save' as const })],
  [6, fc.record({ kind: fc.constant('roll_back' as const), reconcile: fc.boolean() })],
  [2, crashStorm(3, false)],
  [1, crashStorm(11, true)],
  [
    7,
    fc.record({
      kind: fc.constant('hang' as const),
      side,
      worker,
      want: fc.integer({ min: 1, max: 3 }),
      cancel: fc.boolean(),
      blocks: fc.boolean(),
    }),
  ],
]);

/** What happens to an engine from its first moment on: five jobs are submitted, then whatever comes. */
export const life: fc.Arbitrary<Command[]> = fc
  .tuple(
    fc.record({
      kind: fc.constant('submit' as const),
      side: fc.constant(0 as const),
      jobs: fc.array(job, { minLength: 3, maxLength: 3 }),
    }),
    fc.record({
      kind: fc.constant('submit' as const),
      side: fc.constant(1 as const),
      jobs: fc.array(job, { minLength: 2, maxLength: 2 }),
    }),
    fc.array(command, { minLength: 30, maxLength: 45, size: 'max' }),
  )
  .map(([first, second, rest]) => [first, second, ...rest]);
