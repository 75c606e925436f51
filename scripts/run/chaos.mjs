import { spawn } from 'node:child_process';
import { tell } from '../setup/fault.mjs';
import { ROOT } from '../setup/places.mjs';
import { setUpChaosAndRedis } from '../setup/set-up.mjs';
import { talkOnStderr } from '../setup/terminal.mjs';
import { CHAOS_ENTRY } from '../setup/test-build.mjs';
import { listenForStop } from './stop-requests.mjs';

/**
 * Sets up all that the fault campaign needs and runs it; the exit code is the campaign's. Only its result goes to standard output.
 * @param {readonly string[]} args handed to the campaign
 */
export async function runChaos(args) {
  const { asked } = listenForStop();
  talkOnStderr();
  try {
    const { redis, faketime } = await setUpChaosAndRedis(asked);
    const env = { ...process.env, REDIS_SERVER: redis, ...(faketime !== undefined && { FAKETIME: faketime }) };
    const chaos = spawn(process.execPath, [CHAOS_ENTRY, ...args], { cwd: ROOT, env, stdio: 'inherit' });
    // It ends all that it started.
    const end = () => chaos.kill('SIGTERM');
    asked.addEventListener('abort', end);
    if (asked.aborted) end();
    process.exitCode = await new Promise((resolve, reject) => {
      chaos.once('error', reject);
      chaos.once('close', (code) => resolve(code ?? 1));
    });
  } catch (error) {
    process.exitCode = 1;
    tell(error);
  }
}
