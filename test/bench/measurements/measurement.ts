import type { Variant } from '../sides/side.js';
import type { SideName } from '../sides/sides.js';
import type { Stage } from '../stage.js';

/** One run of one measurement: a number for each of its figures, in their order. */
export type Measure = (stage: Stage, side: SideName, variant: Variant) => Promise<readonly number[]>;
