import { spawn } from 'node:child_process';
import { Fault } from '../setup/fault.mjs';
import { inProject } from '../setup/places.mjs';

/** After this long without a failure the tests are ended. */
const LIMIT_MS = 10 * 60_000;
/** Tests of a machine that is busy with others must not fail for want of time. */
const TEST_TIMEOUT_MS = 120_000;

/** @typedef {{kind: 'failed', test: string, message: string} | {kind: 'passed'} | {kind: 'endless'}} Outcome `endless`: nothing failed in time */

/**
 * Runs test files of a copy of the project until the first test fails, or all have passed.
 * @param {object} settings
 * @param {string} settings.folder the copy
 * @param {readonly string[]} settings.paths in it
 * @param {Record<string, string>} settings.env
 * @param {AbortSignal} settings.signal
 * @returns {Promise<Outcome>}
 * @throws {Fault} when jest ends without a word
 */
export async function firstFailure({ folder, paths, env, signal }) {
  signal.throwIfAborted();
  const reporter = inProject('test', 'mutants', 'first-failure-reporter.mjs');
  const options = ['--runInBand', '--selectProjects', 'integration', 'model', '--reporters', reporter];
  const limits = ['--testTimeout', String(TEST_TIMEOUT_MS)];
  const jest = spawn(
    process.execPath,
    [inProject('node_modules', 'jest', 'bin', 'jest.js'), ...options, ...limits, '--runTestsByPath', ...paths],
    // A group of its own, so that the servers which tests start end with it.
    { cwd: folder, env: { ...process.env, ...env }, detached: true, stdio: ['ignore', 'ignore', 'pipe', 'ipc'] },
  );
  /** @type {Outcome | undefined} */
  let outcome;
  let errors = '';
  const end = () => endGroup(jest.pid);
  jest.stderr?.setEncoding('utf8').on('data', (text) => (errors += text));
  jest.on('message', (/** @type {Outcome} */ told) => {
    outcome ??= told;
    if (told.kind === 'failed') end();
  });
  const timer = setTimeout(() => {
    outcome ??= { kind: 'endless' };
    end();
  }, LIMIT_MS);
  signal.addEventListener('abort', end);
  const code = await new Promise((resolve, reject) => {
    jest.once('error', reject);
    jest.once('close', resolve);
  });
  clearTimeout(timer);
  signal.removeEventListener('abort', end);
  signal.throwIfAborted();
  if (outcome === undefined) throw new Fault(`The tests could not be run (exit code ${code}):\n${errors.trimEnd()}`);
  return outcome;
}

/** @param {number | undefined} pid of its first process */
function endGroup(pid) {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}
