import { VARIANTS, nameOf, type Measurement, type Unit } from './plan.js';
import type { Variant } from './sides/side.js';
import type { SideName } from './sides/sides.js';
import type { Stage } from './stage.js';

/** One figure and what each round gave for it. */
export interface Samples {
  readonly name: string;
  readonly unit: Unit;
  readonly setting: string;
  readonly bareSetting: string | undefined;
  readonly ours: readonly number[];
  readonly peer: readonly number[];
  readonly bare: readonly number[];
}

export interface Choice {
  readonly rounds: number;
  /** Asked with the name of each figure; a measurement is made when one of its figures is wanted. */
  readonly isWanted: (name: string) => boolean;
}

/** Runs each measurement so many times, the sides in turns, so that whatever else slows the machine meets both. */
export async function runRounds(
  stage: Stage,
  measurements: readonly Measurement[],
  { rounds, isWanted }: Choice,
  onMeasured: (samples: readonly Samples[]) => void,
): Promise<readonly Samples[]> {
  const all: Samples[] = [];
  for (const measurement of measurements) {
    const ofVariants: Samples[][] = [];
    for (const variant of VARIANTS) {
      if (!measurement.figures.some(([name]) => isWanted(nameOf(name, variant)))) continue;
      const samples = await runOne(stage, measurement, variant, rounds);
      onMeasured(samples);
      ofVariants.push(samples);
    }
    // Each figure with its validated row beside it.
    measurement.figures.forEach((_, index) => {
      all.push(...ofVariants.flatMap((samples) => samples.slice(index, index + 1)));
    });
  }
  return all;
}

async function runOne(stage: Stage, measurement: Measurement, variant: Variant, rounds: number): Promise<Samples[]> {
  const { measure, bare } = measurement;
  // A bare list checks nothing.
  const sides: readonly SideName[] = bare !== undefined && variant === 'plain' ? ['ours', 'peer', 'bare'] : ['ours', 'peer'];
  const runs: Record<SideName, (readonly number[])[]> = { ours: [], peer: [], bare: [] };
  for (let round = 0; round < rounds; round += 1) {
    for (const side of sides) runs[side].push(await measure(stage, side, variant));
  }
  return measurement.figures.map(([name, unit], index) => {
    const column = (side: SideName) => runs[side].flatMap((run) => run.slice(index, index + 1));
    return {
      name: nameOf(name, variant),
      unit,
      setting: measurement.setting,
      bareSetting: variant === 'plain' ? bare : undefined,
      ours: column('ours'),
      peer: column('peer'),
      bare: column('bare'),
    };
  });
}
