import { spawn } from 'node:child_process';
import { MIGRATE_ENTRY } from '../setup/build.mjs';
import { tell } from '../setup/fault.mjs';
import { ROOT } from '../setup/places.mjs';
import { setUpApps } from '../setup/set-up.mjs';
import { listenForStop } from './stop-requests.mjs';

/**
 * Brings the tables of DATABASE_URL up to this version; the exit code is the command's.
 * @param {readonly string[]} args handed to it
 */
export async function runMigrate(args) {
  const { asked } = listenForStop();
  try {
    await setUpApps(asked);
    const migrate = spawn(process.execPath, [MIGRATE_ENTRY, ...args], { cwd: ROOT, stdio: 'inherit' });
    // What it has begun is undone then.
    const end = () => migrate.kill('SIGTERM');
    asked.addEventListener('abort', end);
    if (asked.aborted) end();
    process.exitCode = await new Promise((resolve, reject) => {
      migrate.once('error', reject);
      migrate.once('close', (code) => resolve(code ?? 1));
    });
  } catch (error) {
    process.exitCode = 1;
    tell(error);
  }
}
