import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { canUnpack, DebianPackages } from './debian-packages.mjs';
import { Fault } from './fault.mjs';
import { CACHE } from './places.mjs';
import { say } from './terminal.mjs';

const HOME = join(CACHE, 'faketime');
const LIBRARY = join('faketime', 'libfaketimeMT.so.1');

/**
 * The library that sets the clock of a process: of this system, else the one unpacked earlier, else, on Debian and Ubuntu, one unpacked now.
 * @param {AbortSignal} signal
 * @returns {Promise<string | undefined>} its path; undefined where there is none, which is told
 */
export async function findFaketime(signal) {
  const found = libraryUnder('/') ?? libraryUnder(join(HOME, 'root'));
  if (found !== undefined) return found;
  if (canUnpack()) await unpackFaketime(signal);
  const unpacked = libraryUnder(join(HOME, 'root'));
  if (unpacked === undefined) say('There is no libfaketime on this system.');
  return unpacked;
}

/** @param {string} root */
function libraryUnder(root) {
  const folder = join(root, 'usr', 'lib');
  if (!existsSync(folder)) return undefined;
  return ['', ...readdirSync(folder)].map((triplet) => join(folder, triplet, LIBRARY)).find((path) => existsSync(path));
}

/** @param {AbortSignal} signal */
async function unpackFaketime(signal) {
  const draft = `${HOME}.draft`;
  // What a killed set-up left.
  rmSync(draft, { recursive: true, force: true });
  try {
    const packages = new DebianPackages(draft, signal, 'Without it the campaign cannot set clocks.');
    await packages.look('libfaketime');
    if (packages.candidate('libfaketime') === undefined) return;
    await packages.unpack('libfaketime');
    rmSync(HOME, { recursive: true, force: true });
    renameSync(draft, HOME);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    say(error.message);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}
