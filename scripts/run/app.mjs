import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { ENTRIES } from '../setup/build.mjs';
import { ROOT, RUN } from '../setup/places.mjs';
import { paint, say } from '../setup/terminal.mjs';
import { ended, lives, readRecord, recordOf, send, writeRecord } from '../setup/process-record.mjs';

/** @typedef {keyof typeof ENTRIES} AppName */

/**
 * @typedef {object} App
 * @property {AppName} name
 * @property {Promise<string>} end how it ended, in words
 * @property {(graceMs: number, cut: AbortSignal) => Promise<void>} stop
 */

const COLOURS = /** @type {const} */ ({ api: 'cyan', worker: 'magenta' });

/**
 * Starts one of the built apps and shows its log with its name before each line. It is a session of its own: a Ctrl-C in
 * the terminal reaches only this script, which passes on one signal and no more (a second one makes the worker drop its jobs).
 * @param {AppName} name
 * @param {NodeJS.ProcessEnv} env
 * @returns {App}
 */
export function startApp(name, env) {
  const child = spawn(process.execPath, [ENTRIES[name]], {
    cwd: ROOT,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  /** @type {Promise<string>} */
  const end = new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    // Not "exit": what it wrote last is shown before it is said to have ended.
    child.once('close', (code, signal) => resolve(signal === null ? `exit code ${code}` : `killed by ${signal}`));
  });
  const prefix = paint(COLOURS[name], name.padEnd(7));
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream, crlfDelay: Infinity }).on('line', (line) => say(`${prefix}${line}`));
  }
  if (child.pid === undefined) return { name, end, stop: async () => undefined };
  const record = recordOf(child.pid);
  writeRecord(recordFile(name), record);
  return {
    name,
    end,
    async stop(graceMs, cut) {
      await stopProcess(record, graceMs, cut);
      await end;
      rmSync(recordFile(name), { force: true });
    },
  };
}

/**
 * Stops what a killed start left running of an app: it holds the port, and knows a Redis that may be gone.
 * @param {AppName} name
 * @param {number} graceMs
 * @param {AbortSignal} cut
 */
export async function stopLeftApp(name, graceMs, cut) {
  const record = readRecord(recordFile(name));
  if (record !== undefined && lives(record)) {
    say(`Stopping the ${name} that an earlier start left running (pid ${record.pid}) …`);
    await stopProcess(record, graceMs, cut);
  }
  rmSync(recordFile(name), { force: true });
}

/**
 * @param {import('../setup/process-record.mjs').ProcessRecord} record
 * @param {number} graceMs
 * @param {AbortSignal} cut ends the grace
 */
async function stopProcess(record, graceMs, cut) {
  send(record, 'SIGTERM');
  if (await ended(record, graceMs, cut)) return;
  send(record, 'SIGKILL');
  await ended(record, 5_000);
}

/** @param {AppName} name */
function recordFile(name) {
  return join(RUN, `${name}.json`);
}
