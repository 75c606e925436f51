import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BENCH_ENTRY } from '../setup/test-build.mjs';
import { tell } from '../setup/fault.mjs';
import { ROOT } from '../setup/places.mjs';
import { setUpBenchAndRedis } from '../setup/set-up.mjs';
import { talkOnStderr } from '../setup/terminal.mjs';
import { runRedis } from './redis-server.mjs';
import { listenForStop } from './stop-requests.mjs';

/**
 * Sets up all that the benchmark needs and runs it beside a Redis of its own that keeps nothing; the exit code is the benchmark's.
 * Only its result goes to standard output.
 * @param {readonly string[]} args handed to the benchmark
 */
export async function runBench(args) {
  const { asked } = listenForStop();
  talkOnStderr();
  const folder = mkdtempSync(join(tmpdir(), 'antrean-bench-'));
  try {
    const binary = await setUpBenchAndRedis(asked);
    const redis = await runRedis({ binary, folder, keep: false, signal: asked });
    try {
      process.exitCode = await measure(args, redis.url, asked);
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
 * @param {string} redisUrl
 * @param {AbortSignal} signal
 * @returns {Promise<number>}
 */
function measure(args, redisUrl, signal) {
  const bench = spawn(process.execPath, [BENCH_ENTRY, ...args], {
    cwd: ROOT,
    env: { ...process.env, REDIS_URL: redisUrl },
    stdio: 'inherit',
  });
  // Its own processes end with it: they notice that it is gone.
  const end = () => bench.kill('SIGTERM');
  signal.addEventListener('abort', end);
  if (signal.aborted) end();
  return new Promise((resolve, reject) => {
    bench.once('error', reject);
    bench.once('close', (code) => resolve(code ?? 1));
  });
}
