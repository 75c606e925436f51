import { parseArgs } from 'node:util';
import { FAULT_KINDS, type FaultKind } from './fault-plan.js';

/** What the queue's Redis keeps: every write before it answers, one second's writes in the background, or nothing. */
export const MODES = ['always', 'everysec', 'none'] as const;
export type Mode = (typeof MODES)[number];

export interface Options {
  readonly seed: number;
  /** How long jobs are submitted and faults happen; start and end come on top. */
  readonly minutes: number;
  readonly mode: Mode;
  /** Instead of the faults: a mixed load under which nothing may grow. */
  readonly soak: boolean;
  /** The faults of a campaign. */
  readonly kinds: readonly FaultKind[];
}

/** The command line asks for what is not there; the message says what is. */
export class OptionsError extends Error {}

/** A fault cannot be brought about on this system, and nobody has said that it may be left out. */
export class FaultNotAvailableError extends Error {}

const LEAST_MINUTES = { campaign: 1, soak: 3 };

const USAGE = `npm run chaos [-- options]
  --seed N       the same faults and jobs again; default: one of its own, which the result names
  --minutes N    how long, from 1 to 600; default 10
  --mode MODE    what Redis keeps: ${MODES.join(', ')}; default always
  --without KIND leaves a fault out, such as clock where there is no libfaketime; may be repeated
  --soak         no faults: a mixed load, 3 minutes at least, under which nothing may grow`;

/** @throws {OptionsError} */
export function readOptions(args: readonly string[], ownSeed: number): Options {
  const values = parse(args);
  const seed = Number(values.seed ?? ownSeed);
  if (!Number.isInteger(seed) || seed < 0 || seed >= 2 ** 32) {
    throw new OptionsError(`--seed is "${values.seed ?? ''}", it must be a whole number from 0 to ${2 ** 32 - 1}.`);
  }
  const minutes = Number(values.minutes);
  const least = values.soak ? LEAST_MINUTES.soak : LEAST_MINUTES.campaign;
  if (!(minutes >= least && minutes <= 600)) {
    throw new OptionsError(`--minutes is "${values.minutes}", it must be a number from ${least} to 600.`);
  }
  const mode = MODES.find((name) => name === values.mode);
  if (mode === undefined) throw new OptionsError(`--mode is "${values.mode}", it must be one of ${MODES.join(', ')}.`);
  const stray = values.without.find((kind) => !FAULT_KINDS.some((known) => known === kind));
  if (stray !== undefined) throw new OptionsError(`--without is "${stray}", it must be one of ${FAULT_KINDS.join(', ')}.`);
  return { seed, minutes, mode, soak: values.soak, kinds: FAULT_KINDS.filter((kind) => !values.without.includes(kind)) };
}

/**
 * A campaign is to prove what it says: who cannot set clocks has to say that they are left out.
 * @throws {FaultNotAvailableError}
 */
export function requireFaketime({ soak, kinds }: Options, faketime: string | undefined): void {
  if (soak || faketime !== undefined || !kinds.includes('clock')) return;
  throw new FaultNotAvailableError('No clock can be set without libfaketime. Run with --without clock to leave that fault out.');
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        seed: { type: 'string' },
        minutes: { type: 'string', default: '10' },
        mode: { type: 'string', default: 'always' },
        soak: { type: 'boolean', default: false },
        without: { type: 'string', multiple: true, default: [] },
      },
    }).values;
  } catch (error) {
    throw new OptionsError(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
  }
}
