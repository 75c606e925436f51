import { spawn } from 'node:child_process';
import { tell } from '../setup/fault.mjs';
import { ROOT } from '../setup/places.mjs';
import { setUpPackages } from '../setup/set-up.mjs';
import { complain, hasColour, paint, say } from '../setup/terminal.mjs';
import { listenForStop } from './stop-requests.mjs';

/** The longest first, so that the others fit beside it. Each is also a script of package.json: `npm run check:lint`. */
const CHECKS = ['lint', 'types', 'format', 'imports', 'unused'];
const LANES = 2;

/** Runs all checks, whatever fails, shows the output of those that do, and sets the exit code. */
export async function runChecks() {
  const { asked } = listenForStop();
  try {
    await setUpPackages(asked);
    const waiting = [...CHECKS];
    let failures = 0;
    const lane = async () => {
      for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
        if (!(await runCheck(name, asked))) failures += 1;
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    if (failures > 0) complain(`${failures} of ${CHECKS.length} checks failed.`);
    process.exitCode = failures > 0 ? 1 : 0;
  } catch (error) {
    process.exitCode = 1;
    tell(error);
  }
}

/**
 * @param {string} name
 * @param {AbortSignal} signal
 * @returns {Promise<boolean>} whether all is well
 */
async function runCheck(name, signal) {
  signal.throwIfAborted();
  const started = performance.now();
  const child = spawn('npm', ['run', '--silent', `check:${name}`], {
    cwd: ROOT,
    env: { ...process.env, ...(hasColour ? { FORCE_COLOR: '1' } : {}) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const end = () => child.kill('SIGTERM');
  signal.addEventListener('abort', end);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
  const passed = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code === 0));
  });
  signal.removeEventListener('abort', end);
  signal.throwIfAborted();
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  say(`${passed ? paint('green', '✔') : paint('red', '✘')} ${name} (${seconds} s)`);
  if (!passed) say(output.trimEnd());
  return passed;
}
