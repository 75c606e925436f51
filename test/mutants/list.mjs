import { CALLS } from './calls.mjs';
import { CLAIMS } from './claims.mjs';
import { CONTROL } from './control.mjs';
import { CRASHES } from './crashes.mjs';
import { EVENTS } from './events.mjs';
import { LISTS } from './lists.mjs';
import { SETTLES } from './settles.mjs';
import { SUBMITS } from './submits.mjs';
import { UPKEEP } from './upkeep.mjs';
import { WAITS } from './waits.mjs';

/** All faults that `npm run mutants` puts into the scripts, one at a time. */
export const MUTANTS = [
  ...CALLS,
  ...CLAIMS,
  ...SETTLES,
  ...CRASHES,
  ...EVENTS,
  ...SUBMITS,
  ...WAITS,
  ...CONTROL,
  ...LISTS,
  ...UPKEEP,
];
