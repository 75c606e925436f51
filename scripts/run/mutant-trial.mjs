import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { inProject } from '../setup/places.mjs';
import { firstFailure } from './first-failure.mjs';
import { SCRIPTS } from './mutant-list.mjs';
import { redisForgets } from './redis-talk.mjs';
import { runRedis } from './redis-server.mjs';

/** @typedef {import('./mutant-list.mjs').Mutant} Mutant */
/** @typedef {import('./first-failure.mjs').Outcome} Outcome */

/** What the tests of the scripts are made of. */
const PARTS = ['libs', 'test', 'jest.config.js', 'package.json', 'tsconfig.json'];
const SPECS = join('test', 'integration');
const MODEL = 'model';
/** Lives of the model a mutant, always the same ones. */
const MODEL_ENV = { MODEL_RUNS: '160', MODEL_SEED: '1' };

/**
 * @typedef {object} Trial
 * @property {(specs: readonly string[]) => Promise<Outcome>} tryUnchanged all specs of the scripts, and these
 * @property {(mutant: Mutant) => Promise<Outcome>} tryMutant
 * @property {() => Promise<void>} close
 */

/**
 * A copy of the project in which the scripts are broken, and a Redis that only it uses.
 * @param {{binary: string, folder: string, signal: AbortSignal}} settings
 * @returns {Promise<Trial>}
 */
export async function openTrial({ binary, folder, signal }) {
  const copy = join(folder, 'copy');
  // What tests and jest itself leave behind goes with the folder.
  const scratch = join(folder, 'tmp');
  for (const made of [copy, scratch]) mkdirSync(made, { recursive: true });
  for (const part of PARTS) cpSync(inProject(part), join(copy, part), { recursive: true });
  symlinkSync(inProject('node_modules'), join(copy, 'node_modules'));
  const launch = () => runRedis({ binary, folder: join(folder, 'redis'), keep: false, signal });
  let redis = await launch();

  /** @param {readonly string[]} specs */
  const run = async (specs) => {
    const env = { ...MODEL_ENV, REDIS_URL: redis.url, REDIS_SERVER: binary, TMPDIR: scratch };
    const outcome = await firstFailure({ folder: copy, paths: specs.map(pathOf), env, signal });
    // One that is still in an endless script can only be ended.
    if (!(await redisForgets(Number(new URL(redis.url).port)))) {
      await redis.stop();
      redis = await launch();
    }
    return outcome;
  };

  const all = specsIn(copy);
  return {
    tryUnchanged: (specs) => run([...new Set([...all, MODEL, ...specs])]),
    async tryMutant({ file, from, to, first }) {
      const script = join(copy, ...SCRIPTS, file);
      const original = readFileSync(script, 'utf8');
      writeFileSync(script, original.split(from).join(to));
      try {
        return await runUntilFailure(run, [
          first,
          all.filter((spec) => !first.includes(spec)),
          first.includes(MODEL) ? [] : [MODEL],
        ]);
      } finally {
        writeFileSync(script, original);
      }
    },
    close: () => redis.stop(),
  };
}

/**
 * @param {(specs: readonly string[]) => Promise<Outcome>} run
 * @param {readonly (readonly string[])[]} rounds
 * @returns {Promise<Outcome>} of the first round that did not pass
 */
async function runUntilFailure(run, rounds) {
  for (const specs of rounds) {
    const outcome = specs.length === 0 ? { kind: /** @type {const} */ ('passed') } : await run(specs);
    if (outcome.kind !== 'passed') return outcome;
  }
  return { kind: 'passed' };
}

/**
 * @param {string} copy
 * @returns {readonly string[]} the names of the specs of the scripts
 */
function specsIn(copy) {
  return readdirSync(join(copy, SPECS))
    .filter((file) => /^store-.*\.spec\.ts$/.test(file))
    .map((file) => basename(file, '.spec.ts'));
}

/** @param {string} spec its name */
function pathOf(spec) {
  return spec === MODEL ? join('test', 'model', 'engine.spec.ts') : join(SPECS, `${spec}.spec.ts`);
}
