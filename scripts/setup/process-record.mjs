import { execFileSync } from 'node:child_process';
import { existsSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * A process on paper. Numbers of processes are used again, so a number alone proves nothing: `birth` is when the
 * system started it, as the system tells it.
 * @typedef {object} ProcessRecord
 * @property {number} pid
 * @property {string} birth
 * @property {number} [port]
 * @property {string} [url]
 */

/**
 * @param {number} pid of a living process
 * @param {{port?: number, url?: string}} details
 * @returns {ProcessRecord}
 */
export function recordOf(pid, details = {}) {
  return { pid, birth: birthOf(pid) ?? 'gone', ...details };
}

/**
 * @param {ProcessRecord} record
 * @returns {boolean} whether that very process still runs
 */
export function lives(record) {
  return birthOf(record.pid) === record.birth;
}

/**
 * @param {ProcessRecord} record
 * @param {number} timeoutMs
 * @param {AbortSignal} [cut] ends the wait early
 * @returns {Promise<boolean>} whether it ended in time
 */
export async function ended(record, timeoutMs, cut) {
  const deadline = performance.now() + timeoutMs;
  while (lives(record)) {
    if (performance.now() > deadline || cut?.aborted === true) return false;
    await sleep(25);
  }
  return true;
}

/**
 * @param {ProcessRecord} record
 * @param {NodeJS.Signals} signal
 */
export function send(record, signal) {
  if (!lives(record)) return;
  try {
    process.kill(record.pid, signal);
  } catch (error) {
    // It ended between the look and the call.
    if (codeOf(error) !== 'ESRCH') throw error;
  }
}

/**
 * @param {string} file
 * @returns {ProcessRecord | undefined} undefined when there is none or it cannot be read
 */
export function readRecord(file) {
  if (!existsSync(file)) return undefined;
  try {
    const record = JSON.parse(readFileSync(file, 'utf8'));
    return typeof record.pid === 'number' && typeof record.birth === 'string' ? record : undefined;
  } catch {
    return undefined;
  }
}

/**
 * @param {string} file
 * @param {ProcessRecord} record
 */
export function writeRecord(file, record) {
  const draft = draftOf(file, record);
  renameSync(draft, file);
}

/**
 * @param {string} file
 * @param {ProcessRecord} record
 * @returns {boolean} false when there is a file already
 */
export function writeNewRecord(file, record) {
  const draft = draftOf(file, record);
  try {
    // Unlike a rename, a link does not replace, and unlike an exclusive open it never shows a half-written file.
    linkSync(draft, file);
    return true;
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    return false;
  } finally {
    rmSync(draft);
  }
}

/**
 * @param {string} file
 * @param {ProcessRecord} record
 */
function draftOf(file, record) {
  mkdirSync(dirname(file), { recursive: true });
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, JSON.stringify(record));
  return draft;
}

/**
 * @param {unknown} error
 * @returns {unknown}
 */
export function codeOf(error) {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

/**
 * @param {number} pid
 * @returns {string | undefined} undefined when there is no such process, or only its remains that nobody collected
 */
function birthOf(pid) {
  return existsSync('/proc/self/stat') ? birthFromProc(pid) : birthFromPs(pid);
}

/** @param {number} pid */
function birthFromProc(pid) {
  try {
    // proc(5): the name in brackets may hold anything, the state follows it, the start time is 19 fields further.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : `${boot}/${fields[19]}`;
  } catch {
    return undefined;
  }
}

/** @param {number} pid */
function birthFromPs(pid) {
  try {
    const line = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], {
      encoding: 'utf8',
      env: { ...process.env, LC_ALL: 'C' },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [, state = '', birth = ''] = /^\s*(\S+)\s+(.*\S)\s*$/.exec(line) ?? [];
    return birth === '' || state.startsWith('Z') ? undefined : birth;
  } catch {
    return undefined;
  }
}
