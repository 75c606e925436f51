import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tell } from '../setup/fault.mjs';
import { inProject, ROOT } from '../setup/places.mjs';
import { setUpAppsAndRedis } from '../setup/set-up.mjs';
import { runRedis } from './redis-server.mjs';
import { listenForStop } from './stop-requests.mjs';

/**
 * Sets up all that the tests need and runs jest beside a Redis of its own that keeps nothing; the exit code is jest's.
 * @param {readonly string[]} args handed to jest
 * @param {object} [settings]
 * @param {Record<string, string>} [settings.env] what the tests find in their environment besides
 * @param {(signal: AbortSignal) => Promise<string>} [settings.setUp] brings what they need; resolves to the path of the Redis to run
 */
export async function runTests(args, { env = {}, setUp = setUpAppsAndRedis } = {}) {
  const { asked } = listenForStop();
  const folder = mkdtempSync(join(tmpdir(), 'antrean-test-'));
  try {
    const binary = await setUp(asked);
    const redis = await runRedis({ binary, folder, keep: false, signal: asked });
    try {
      process.exitCode = await runJest(args, { ...env, REDIS_URL: redis.url, REDIS_SERVER: binary }, asked);
    } finally {
      await redis.stop();
    }
  } catch (error) {
    process.exitCode = 1;
    tell(error);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * @param {readonly string[]} args
 * @param {Record<string, string>} env
 * @param {AbortSignal} signal
 * @returns {Promise<number>}
 */
function runJest(args, env, signal) {
  const jest = spawn(process.execPath, [inProject('node_modules', 'jest', 'bin', 'jest.js'), ...args], {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: 'inherit',
  });
  signal.addEventListener('abort', () => jest.kill('SIGTERM'));
  return new Promise((resolve, reject) => {
    jest.once('error', reject);
    jest.once('close', (code) => resolve(code ?? 1));
  });
}
