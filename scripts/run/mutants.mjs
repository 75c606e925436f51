import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Fault, tell } from '../setup/fault.mjs';
import { setUpRedis } from '../setup/set-up.mjs';
import { paint, say } from '../setup/terminal.mjs';
import { readMutants } from './mutant-list.mjs';
import { openTrial } from './mutant-trial.mjs';
import { listenForStop } from './stop-requests.mjs';

/** @typedef {import('./mutant-list.mjs').Mutant} Mutant */
/** @typedef {import('./mutant-trial.mjs').Trial} Trial */

/** Mutants that are tried at the same time, each in a copy of its own beside a Redis of its own. */
const LANES = 2;
const USAGE = 'Usage: npm run mutants -- [--only TEXT]… [--list]';

/**
 * Shows of each small fault in the scripts by which test it is caught; the exit code is 1 when one is not.
 * @param {readonly string[]} args `--only` a part of the names, more than once for several; `--list` the names alone
 */
export async function runMutants(args) {
  const { asked } = listenForStop();
  try {
    const { only = [''], list = false } = parse(args);
    const mutants = readMutants().filter(({ name }) => only.some((part) => name.includes(part)));
    if (mutants.length === 0) throw new Fault(`No mutant has "${only.join('" or "')}" in its name; --list shows them all.`);
    if (list) for (const { name } of mutants) say(name);
    else await tryAll(mutants, asked);
  } catch (error) {
    process.exitCode = 1;
    tell(error);
  }
}

/** @param {readonly string[]} args */
function parse(args) {
  try {
    return parseArgs({ args: [...args], options: { only: { type: 'string', multiple: true }, list: { type: 'boolean' } } })
      .values;
  } catch (error) {
    throw new Fault(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`);
  }
}

/**
 * @param {readonly Mutant[]} mutants
 * @param {AbortSignal} asked
 */
async function tryAll(mutants, asked) {
  const binary = await setUpRedis(asked);
  const folder = mkdtempSync(join(tmpdir(), 'antrean-mutants-'));
  const failed = new AbortController();
  const signal = AbortSignal.any([asked, failed.signal]);
  /** @type {Trial[]} */
  const trials = [];
  /**
   * Does the same in all trials; where one fails, the others end too, and have ended when this rejects.
   * @param {(trial: Trial) => Promise<void>} work
   */
  const inEach = async (work) => {
    const ends = await Promise.allSettled(
      trials.map((trial) =>
        work(trial).catch((error) => {
          failed.abort(error);
          throw error;
        }),
      ),
    );
    if (ends.some(({ status }) => status === 'rejected')) signal.throwIfAborted();
  };
  try {
    for (let lane = 0; lane < Math.min(LANES, mutants.length); lane += 1) {
      trials.push(await openTrial({ binary, folder: join(folder, String(lane)), signal }));
    }
    say('First the scripts as they are …');
    const named = mutants.flatMap(({ first }) => first);
    await inEach((trial) => expectGreen(trial, named));
    const waiting = [...mutants];
    let caught = 0;
    await inEach(async (trial) => {
      for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
        const outcome = await trial.tryMutant(mutant);
        if (outcome.kind === 'failed') caught += 1;
        say(`${mutant.name}: ${inWords(outcome)}`);
      }
    });
    say(`${mutants.length} mutants, ${caught} caught`);
    process.exitCode = caught < mutants.length ? 1 : 0;
  } finally {
    for (const trial of trials) await trial.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * A test that fails without a mutant, or cannot even be loaded where mutants are tried, would seem to catch them all.
 * @param {Trial} trial
 * @param {readonly string[]} specs
 */
async function expectGreen(trial, specs) {
  const outcome = await trial.tryUnchanged(specs);
  if (outcome.kind === 'failed')
    throw new Fault(`This fails without any mutant, so that nothing can be said of them: ${outcome.test}\n${outcome.message}`);
  if (outcome.kind === 'endless') throw new Fault('The tests took too long without any mutant.');
}

/** @param {import('./first-failure.mjs').Outcome} outcome */
function inWords(outcome) {
  if (outcome.kind === 'failed') return `caught by ${outcome.test}`;
  return `${paint('red', 'SURVIVED')}${outcome.kind === 'endless' ? ', nothing failed in time' : ''}`;
}
