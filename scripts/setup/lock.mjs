import { renameSync, rmSync } from 'node:fs';
import { codeOf, lives, readRecord, recordOf, writeNewRecord } from './process-record.mjs';

/**
 * @typedef {object} Lock
 * @property {() => boolean} isHeld
 * @property {() => void} release
 */

/**
 * Takes the lock for this process. One whose holder is dead, however it died, is taken over.
 * @param {string} file
 * @param {{url?: string}} details told to whoever comes second
 * @returns {{lock: Lock, holder?: undefined} | {lock?: undefined, holder: import('./process-record.mjs').ProcessRecord}}
 */
export function takeLock(file, details = {}) {
  const own = recordOf(process.pid, details);
  while (!writeNewRecord(file, own)) {
    const holder = readRecord(file);
    if (holder !== undefined && lives(holder)) return { holder };
    clearStale(file);
  }
  const isHeld = () => readRecord(file)?.birth === own.birth && readRecord(file)?.pid === own.pid;
  const release = () => {
    if (isHeld()) rmSync(file, { force: true });
  };
  return { lock: { isHeld, release } };
}

/**
 * Two that come at once may both find the same dead holder, and the slower one would remove the lock that the faster one
 * has taken by then. So the file is first moved aside, which only one of them can do, and looked at again.
 * @param {string} file
 */
function clearStale(file) {
  const aside = `${file}.stale-${process.pid}`;
  try {
    renameSync(file, aside);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return;
    throw error;
  }
  const moved = readRecord(aside);
  if (moved !== undefined && lives(moved)) writeNewRecord(file, moved);
  rmSync(aside, { force: true });
}
