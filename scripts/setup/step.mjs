import { spawn } from 'node:child_process';
import { Fault } from './fault.mjs';
import { draw, isTerminal, paint, say } from './terminal.mjs';

const KEPT_OUTPUT = 64 * 1024;
const SHOWN_LINES = 15;

/**
 * Runs one command of the set-up and shows that it is going on: a counting clock on a terminal, a line every 10 s elsewhere.
 * Its output is shown only when it fails.
 * @param {object} step
 * @param {string} step.title what is being done, as a sentence begins: "Installing packages"
 * @param {string} step.command
 * @param {readonly string[]} step.args
 * @param {string} step.cwd
 * @param {string} step.remedy what to do when it fails
 * @param {AbortSignal} step.signal ends the command
 * @param {NodeJS.ProcessEnv} [step.env]
 * @returns {Promise<void>}
 * @throws {Fault} with the end of the output and the remedy
 */
export async function runStep({ title, command, args, cwd, remedy, signal, env = process.env }) {
  signal.throwIfAborted();
  const clock = showClock(title);
  const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const end = () => child.kill('SIGTERM');
  signal.addEventListener('abort', end);
  let output = '';
  const keep = (/** @type {string} */ text) => (output = (output + text).slice(-KEPT_OUTPUT));
  child.stdout.setEncoding('utf8').on('data', keep);
  child.stderr.setEncoding('utf8').on('data', keep);
  const failure = await new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code, by) => resolve(code === 0 ? undefined : `it ended with ${by ?? `exit code ${code}`}`));
  });
  signal.removeEventListener('abort', end);
  clock.end(failure === undefined);
  signal.throwIfAborted();
  if (failure !== undefined) throw new Fault(`${title} failed: ${failure}.\n${lastLines(output)}\n${remedy}`);
}

/** @param {string} title */
function showClock(title) {
  const started = performance.now();
  const seconds = () => ((performance.now() - started) / 1000).toFixed(isTerminal ? 0 : 1);
  const drawClock = () => draw(`\r\x1b[K${title} … ${seconds()} s`);
  if (isTerminal) drawClock();
  else say(`${title} …`);
  const timer = setInterval(() => (isTerminal ? drawClock() : say(`${title} … ${seconds()} s`)), isTerminal ? 1_000 : 10_000);
  return {
    /** @param {boolean} succeeded */
    end(succeeded) {
      clearInterval(timer);
      const mark = succeeded ? paint('green', '✔') : paint('red', '✘');
      say(`${isTerminal ? '\r\x1b[K' : ''}${mark} ${title} (${seconds()} s)`);
    },
  };
}

/** @param {string} output */
function lastLines(output) {
  return output
    .trimEnd()
    .split('\n')
    .slice(-SHOWN_LINES)
    .map((line) => `  ${line}`)
    .join('\n');
}
