import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ensureBuild } from './build.mjs';
import { findFaketime } from './faketime-debian.mjs';
import { takeLock } from './lock.mjs';
import { ensurePackages } from './packages.mjs';
import { CACHE } from './places.mjs';
import { ensureRedisBinary } from './redis-binary.mjs';
import { say } from './terminal.mjs';
import { buildBench, buildChaos } from './test-build.mjs';

/**
 * Brings what running the apps on a Redis of one's own takes.
 * @param {AbortSignal} signal
 * @returns {Promise<string>} the path of the Redis to run
 */
export function setUpAppsAndRedis(signal) {
  return inTurn(signal, async () => {
    await ensurePackages(signal);
    await ensureBuild(signal);
    return ensureRedisBinary(signal);
  });
}

/**
 * Brings what measuring the library on a Redis of one's own takes.
 * @param {AbortSignal} signal
 * @returns {Promise<string>} the path of the Redis to run
 */
export function setUpBenchAndRedis(signal) {
  return inTurn(signal, async () => {
    await ensurePackages(signal);
    await ensureBuild(signal);
    await buildBench();
    return ensureRedisBinary(signal);
  });
}

/**
 * Brings what the fault campaign takes.
 * @param {AbortSignal} signal
 * @returns {Promise<{redis: string, faketime: string | undefined}>} the path of the Redis to run, and of the library that sets clocks
 */
export function setUpChaosAndRedis(signal) {
  return inTurn(signal, async () => {
    await ensurePackages(signal);
    await ensureBuild(signal);
    await buildChaos();
    return { redis: await ensureRedisBinary(signal), faketime: await findFaketime(signal) };
  });
}

/**
 * Brings what tests that need no built app take.
 * @param {AbortSignal} signal
 * @returns {Promise<string>} the path of the Redis to run
 */
export function setUpRedis(signal) {
  return inTurn(signal, async () => {
    await ensurePackages(signal);
    return ensureRedisBinary(signal);
  });
}

/**
 * Brings what running the apps on a given Redis takes.
 * @param {AbortSignal} signal
 * @returns {Promise<undefined>}
 */
export function setUpApps(signal) {
  return inTurn(signal, async () => {
    await ensurePackages(signal);
    await ensureBuild(signal);
    return undefined;
  });
}

/**
 * Brings the packages only.
 * @param {AbortSignal} signal
 */
export function setUpPackages(signal) {
  return inTurn(signal, () => ensurePackages(signal));
}

/**
 * `npm start`, `npm test` and `npm run check` may be typed at the same moment, and npm ci begins by removing node_modules.
 * @template T
 * @param {AbortSignal} signal
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
async function inTurn(signal, work) {
  const take = () => takeLock(join(CACHE, 'setup.json'));
  let { lock, holder } = take();
  if (lock === undefined) say(`Waiting for another command that sets up here (pid ${holder?.pid}) …`);
  while (lock === undefined) {
    await sleep(200, undefined, { signal }).catch(() => signal.throwIfAborted());
    ({ lock } = take());
  }
  try {
    return await work();
  } finally {
    lock.release();
  }
}
