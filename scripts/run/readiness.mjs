import { setTimeout as sleep } from 'node:timers/promises';
import { Fault } from '../setup/fault.mjs';

const READY_MS = 30_000;

/**
 * @param {string} name
 * @param {string} url of the app's `/health/ready`
 * @param {AbortSignal} signal
 * @throws {Fault} with its last answer when it is not ready in time
 */
export async function waitUntilReady(name, url, signal) {
  const deadline = performance.now() + READY_MS;
  let last = 'it did not answer';
  while (performance.now() < deadline) {
    signal.throwIfAborted();
    try {
      const response = await fetch(url, { signal: AbortSignal.any([signal, AbortSignal.timeout(3_000)]) });
      if (response.ok) return;
      last = `it answers ${response.status}: ${(await response.text()).slice(0, 500)}`;
    } catch {
      // Not listening yet.
    }
    await sleep(50);
  }
  throw new Fault(`The ${name} was not ready within ${READY_MS / 1000} s; ${last}.\nLook at its log above.${redisHint()}`);
}

function redisHint() {
  const url = process.env['REDIS_URL'];
  return url ? ` REDIS_URL points at ${withoutSecrets(url)}: is it running?` : '';
}

/**
 * A password may hold a raw `/` or `@`, and a comma list several of them: all up to the last `@` goes.
 * @param {string} url
 */
function withoutSecrets(url) {
  return url.replace(/\/\/.*@/s, '//');
}
