import type { Unit } from './plan.js';
import type { Samples } from './rounds.js';
import { median, spread, type Spread } from './statistics.js';

/** What `--json` shows of one figure: medians over the rounds. */
export interface Figure {
  readonly name: string;
  readonly unit: Unit;
  readonly ours: number;
  readonly peer: number;
  /** Ours divided by the peer's; whether more or less is better stands in the settings. */
  readonly ratio: number;
}

/** What must be known to read one figure. */
export interface Reading {
  readonly better: 'higher' | 'lower';
  readonly setting: string;
  /** Lowest and highest of the rounds. */
  readonly spread: { readonly ours: Spread; readonly peer: Spread };
  /** The same with a bare list in Redis, where that says something. */
  readonly bare?: { readonly setting: string; readonly median: number; readonly spread: Spread };
}

export interface Report<S extends object> {
  readonly settings: S & { readonly figures: Readonly<Record<string, Reading>> };
  readonly figures: readonly Figure[];
}

/** @param settings of the run as a whole; those of each figure are added. */
export function reportOf<S extends object>(settings: S, samples: readonly Samples[]): Report<S> {
  return {
    settings: { ...settings, figures: Object.fromEntries(samples.map((figure) => [figure.name, readingOf(figure)])) },
    figures: samples.map(figureOf),
  };
}

function figureOf({ name, unit, ours, peer }: Samples): Figure {
  const [mine, theirs] = [median(ours), median(peer)];
  return { name, unit, ours: rounded(mine), peer: rounded(theirs), ratio: rounded(mine / theirs) };
}

function readingOf({ unit, setting, bareSetting, ours, peer, bare }: Samples): Reading {
  return {
    better: unit === 'jobs/s' ? 'higher' : 'lower',
    setting,
    spread: { ours: roundedSpread(ours), peer: roundedSpread(peer) },
    ...(bareSetting === undefined || bare.length === 0
      ? {}
      : { bare: { setting: bareSetting, median: rounded(median(bare)), spread: roundedSpread(bare) } }),
  };
}

function roundedSpread(numbers: readonly number[]): Spread {
  const { lowest, highest } = spread(numbers);
  return { lowest: rounded(lowest), highest: rounded(highest) };
}

/** To four significant digits; no figure here is steadier than that. */
function rounded(value: number): number {
  return Number(value.toPrecision(4));
}
