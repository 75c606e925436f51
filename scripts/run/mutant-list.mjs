import { readFileSync } from 'node:fs';
import { MUTANTS } from '../../test/mutants/list.mjs';
import { Fault } from '../setup/fault.mjs';
import { inProject } from '../setup/places.mjs';

/** Where the scripts are, from the root of the project. */
export const SCRIPTS = ['libs', 'jobs', 'src', 'store'];

/**
 * A small fault that somebody could make.
 * @typedef {object} Mutant
 * @property {string} name what is wrong, in plain words
 * @property {string} file the script, such as `reap.lua`
 * @property {string} from the text of the script that is replaced
 * @property {string} to
 * @property {readonly string[]} first which specs look first: `store-reap`, `model`
 */

/**
 * @returns {readonly Mutant[]} those of test/mutants, all of which fit the scripts
 * @throws {Fault} when one does not
 */
export function readMutants() {
  const drifted = MUTANTS.flatMap((mutant) => {
    const count = textOf(mutant.file).split(mutant.from).length - 1;
    return count === 1 && mutant.from !== mutant.to
      ? []
      : [`  ${mutant.name}: stands ${count} times in ${mutant.file}\n    ${mutant.from}`];
  });
  const names = new Set(MUTANTS.map(({ name }) => name));
  if (names.size < MUTANTS.length) throw new Fault('Two mutants in test/mutants have the same name.');
  if (drifted.length === 0) return MUTANTS;
  throw new Fault(`The list in test/mutants has drifted from the scripts: what a mutant replaces must stand there exactly once.
${drifted.join('\n')}`);
}

/** @param {string} file */
function textOf(file) {
  return readFileSync(inProject(...SCRIPTS, file), 'utf8');
}
