import { parseArgs } from 'node:util';
import { namePattern } from './name-pattern.js';
import { SIZES, type Sizes } from './sizes.js';

export interface Options {
  readonly mode: keyof typeof SIZES;
  readonly sizes: Sizes;
  readonly rounds: number;
  readonly json: boolean;
  readonly isWanted: (figure: string) => boolean;
  /** A folder for CPU profiles. */
  readonly profiles: string | undefined;
}

/** The command line asks for what is not there; the message says what is. */
export class OptionsError extends Error {}

const USAGE = `npm run bench [-- options]
  --quick         small counts, for a first impression
  --json          one object on standard output
  --rounds N      how often each side is measured
  --only NAMES    a comma list of figures, * stands for any text: --only 'drain.*,idle.p50'
  --profile DIR   writes a CPU profile of each thread to a folder for each process`;

/**
 * @param figures the names of all that can be measured
 * @throws {OptionsError}
 */
export function readOptions(args: readonly string[], figures: readonly string[]): Options {
  const values = parse(args);
  const mode = values.tiny ? 'tiny' : values.quick ? 'quick' : 'full';
  const sizes = SIZES[mode];
  const rounds = Number(values.rounds ?? sizes.rounds);
  if (!Number.isInteger(rounds) || rounds < 1 || rounds > 1_000) {
    throw new OptionsError(`--rounds is "${values.rounds ?? ''}", it must be a whole number from 1 to 1000.`);
  }
  const isWanted = namePattern(values.only);
  if (!figures.some(isWanted)) throw new OptionsError(`No figure is called "${values.only}". There are: ${figures.join(', ')}.`);
  return { mode, sizes, rounds, json: values.json, isWanted, profiles: values.profile };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        quick: { type: 'boolean', default: false },
        // For the test of the benchmark itself; its figures say nothing.
        tiny: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        rounds: { type: 'string' },
        only: { type: 'string', default: '*' },
        profile: { type: 'string' },
      },
    }).values;
  } catch (error) {
    throw new OptionsError(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
  }
}
