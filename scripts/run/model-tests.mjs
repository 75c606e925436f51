import { parseArgs } from 'node:util';
import { Fault, tell } from '../setup/fault.mjs';
import { setUpRedis } from '../setup/set-up.mjs';
import { runTests } from './tests.mjs';

const NUMBER = /^\d{1,9}$/;

/**
 * Runs lives of the engine against its model; the exit code is jest's.
 * @param {readonly string[]} args `--runs N`, `--seed S` and `--path P`
 */
export async function runModelTests(args) {
  try {
    const env = readSettings(args);
    await runTests(['--selectProjects', 'model'], { env, setUp: setUpRedis });
  } catch (error) {
    process.exitCode = 1;
    tell(error);
  }
}

/**
 * @param {readonly string[]} args
 * @returns {Record<string, string>} what test/model reads
 * @throws {Fault}
 */
function readSettings(args) {
  const text = /** @type {const} */ ({ type: 'string' });
  const { runs, seed, path } = parse(
    () => parseArgs({ args: [...args], options: { runs: text, seed: text, path: text } }).values,
  );
  for (const [name, value] of Object.entries({ runs, seed })) {
    if (value !== undefined && !NUMBER.test(value))
      throw new Fault(`--${name} is a number of at most nine digits, such as --${name} 5000.`);
  }
  if (path !== undefined && seed === undefined)
    throw new Fault('A path belongs to a seed: give --seed too, as the failure named it.');
  return {
    ...(runs === undefined ? {} : { MODEL_RUNS: runs }),
    ...(seed === undefined ? {} : { MODEL_SEED: seed }),
    ...(path === undefined ? {} : { MODEL_PATH: path }),
  };
}

/**
 * @template T
 * @param {() => T} read
 * @returns {T}
 */
function parse(read) {
  try {
    return read();
  } catch (error) {
    throw new Fault(
      `${error instanceof Error ? error.message : String(error)}\nUsage: npm run test:model -- [--runs N] [--seed S] [--path P]`,
    );
  }
}
