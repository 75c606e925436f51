import fc from 'fast-check';
import { Redis } from 'ioredis';
import { closeRedis, connectRedis, waitUntilReady } from '@antrean/platform';
import { REDIS_URL, newKeyPrefix, silentLogger } from '../support/shared-redis.js';
import { life } from './commands/arbitrary.js';
import type { Command } from './commands/commands.js';
import { live } from './run/life.js';
import { TooSlow, World } from './run/world.js';
import { MUST_HAPPEN, Tally } from './tally.js';

/** `npm run test:model` sets these. */
const RUNS = Number(process.env['MODEL_RUNS'] ?? 600);
const SEED = Number(process.env['MODEL_SEED'] ?? Date.now() % 1_000_000_000);
const PATH = process.env['MODEL_PATH'];

/** Lives that go on at the same time, each in a database of its own. */
const AT_ONCE = PATH === undefined ? 4 : 1;
const FIRST_DATABASE = 8;
const OFTEN = 20;

/** How many times as many lives may follow while something that the model knows was seen too seldom, as it happens by chance. */
const ROUNDS_MORE = 3;

jest.setTimeout(60_000 + RUNS * ROUNDS_MORE * 1_000);

describe('the engine', () => {
  const tally = new Tally();
  const connections: Redis[] = [];

  beforeAll(async () => {
    for (let i = 0; i < AT_ONCE; i += 1) {
      const url = new URL(REDIS_URL);
      url.pathname = `/${FIRST_DATABASE + i}`;
      const redis = connectRedis(url.href, { name: 'antrean-test', logger: silentLogger, commandTimeoutMs: 10_000 });
      if (!(redis instanceof Redis && (await waitUntilReady(redis, 10_000))))
        throw new Error(`There is no Redis at ${REDIS_URL}.`);
      connections.push(redis);
      const world = new World(redis, newKeyPrefix(), tally);
      await world.sides[0].engine.teach();
      await world.clear();
    }
  });

  afterAll(() => {
    connections.forEach(closeRedis);
  });

  const check = async (redis: Redis, seed: number, numRuns: number): Promise<void> => {
    const property = fc.asyncProperty(life, (commands) => liveOnce(redis, commands, tally));
    const path = PATH === undefined ? {} : { path: PATH };
    const details = await fc.check<[Command[]]>(property, { seed, numRuns, ...path, plugins: [fc.unbiased()] });
    if (details.failed) throw reportOf(details);
  };

  const checkAll = async (seed: number): Promise<void> => {
    process.stdout.write(`${RUNS} lives of an engine from seed ${seed}\n`);
    await Promise.all(connections.map((redis, index) => check(redis, seed + index, Math.ceil(RUNS / AT_ONCE))));
    process.stdout.write(`${tally.table(MUST_HAPPEN)}\n`);
  };
  const seldom = (): readonly string[] => MUST_HAPPEN.filter((name) => tally.of(name) < OFTEN);

  it('does what the model says, whatever comes', async () => {
    await checkAll(SEED);
  });

  it('comes into every state that the model knows, often', async () => {
    if (RUNS < 500) return;
    for (let round = 1; round <= ROUNDS_MORE && seldom().length > 0; round += 1) await checkAll(SEED + round * AT_ONCE);
    expect(seldom()).toEqual([]);
  });
});

async function liveOnce(redis: Redis, commands: readonly Command[], tally: Tally, triesLeft = 3): Promise<void> {
  const world = new World(redis, newKeyPrefix(), tally);
  try {
    await live(world, commands);
  } catch (error) {
    if (!(error instanceof TooSlow) || triesLeft === 0) throw error;
    await liveOnce(redis, commands, tally, triesLeft - 1);
  } finally {
    await world.clear();
  }
}

/** A failing life as one command a line, without those that are not needed to fail. */
function reportOf({ counterexample, errorInstance, seed, counterexamplePath, numShrinks }: fc.RunDetails<[Command[]]>): Error {
  const needed = (counterexample?.[0] ?? []).filter(({ kind }) => kind !== 'nothing');
  const parts = [
    'The engine does not do what the model says, after',
    ...needed.map((command) => JSON.stringify(command)),
    errorInstance instanceof Error ? errorInstance.message : String(errorInstance),
    `Shrunk ${numShrinks} times. To repeat it: npm run test:model -- --seed ${seed} --path ${counterexamplePath ?? ''}`,
  ];
  return new Error(parts.join('\n'), { cause: errorInstance });
}
