import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Fault, Stopped, tell } from '../setup/fault.mjs';
import { MIGRATE_ENTRY } from '../setup/build.mjs';
import { takeLock } from '../setup/lock.mjs';
import { REDIS_DATA, ROOT, RUN, SHOP_DATA } from '../setup/places.mjs';
import { setUpApps, setUpAppsAndRedis } from '../setup/set-up.mjs';
import { runStep } from '../setup/step.mjs';
import { complain, hasColour, isTerminal, say } from '../setup/terminal.mjs';
import { startApp, stopLeftApp } from './app.mjs';
import { portIsTaken } from './ports.mjs';
import { waitUntilReady } from './readiness.mjs';
import { runRedis } from './redis-server.mjs';
import { readSettings } from './settings.mjs';
import { listenForStop } from './stop-requests.mjs';
import { welcome } from './welcome.mjs';

/** Apps whose Redis is gone for good can tell nobody how their jobs end: they have this long to close their ports. */
const WITHOUT_REDIS_MS = 5_000;

/** @typedef {ReturnType<typeof listenForStop>} Requests */
/** @typedef {import('./settings.mjs').Settings} Settings */

/** Sets up and runs all of Antrean until it is asked to stop or a part of it ends; sets the exit code. */
export async function runAntrean() {
  const settings = await readSettings();
  const { lock, holder } = takeLock(join(RUN, 'start.json'), { url: settings.api.url });
  if (lock === undefined) {
    complain(
      `Antrean already runs from this folder: pid ${holder.pid}, ${holder.url}. Stop it first (Ctrl-C there, or kill ${holder.pid}).`,
    );
    process.exitCode = 1;
    return;
  }
  const requests = listenForStop();
  try {
    await setUpAndRun(settings, lock, requests);
  } catch (error) {
    process.exitCode = error instanceof Stopped ? 0 : 1;
    tell(error);
  } finally {
    lock.release();
  }
}

/**
 * @param {Settings} settings
 * @param {import('../setup/lock.mjs').Lock} lock
 * @param {Requests} requests
 */
async function setUpAndRun(settings, lock, requests) {
  const started = performance.now();
  const { asked } = requests;
  const binary = await (settings.redisUrl === undefined ? setUpAppsAndRedis(asked) : setUpApps(asked));
  if (!lock.isHeld()) throw new Fault('Another start took over while this one was getting ready.');
  // First of all: apps that a killed start left running find it again, and settle what they have in hand before they end.
  const redis = binary === undefined ? undefined : await runRedis({ binary, folder: REDIS_DATA, keep: true, signal: asked });
  try {
    const graceMs = redis?.isWhereItWas === false ? WITHOUT_REDIS_MS : settings.graceMs;
    for (const name of /** @type {const} */ (['api', 'worker'])) await stopLeftApp(name, graceMs, asked);
    await refuseTakenPorts(settings);
    if (settings.ownDatabase) await fillNewDatabase(asked);
    const redisUrl = redis?.url ?? settings.redisUrl ?? '';
    await runApps(settings, { redis, redisUrl, started }, requests);
  } finally {
    if (redis !== undefined) {
      await redis.stop();
      say('Redis has stopped.');
    }
  }
}

/**
 * Whoever starts for the first time finds customers and orders to make a report of.
 * @param {AbortSignal} signal
 */
async function fillNewDatabase(signal) {
  if (existsSync(SHOP_DATA)) return;
  await runStep({
    title: 'Filling the database with an example',
    command: process.execPath,
    args: [MIGRATE_ENTRY, '--seed'],
    cwd: ROOT,
    signal,
    remedy: `See that ${SHOP_DATA} can be written, then try again.`,
  });
}

/**
 * @param {Settings} settings
 * @param {{redis: import('./redis-server.mjs').RunningRedis | undefined, redisUrl: string, started: number}} found
 * @param {Requests} requests
 */
async function runApps(settings, { redis, redisUrl, started }, { asked, forced }) {
  const env = { ...appEnv(redisUrl), ...settings.api.chosen, ...settings.worker.chosen };
  const apps = [startApp('api', env), startApp('worker', env)];
  const over = new AbortController();
  const troubles = [
    ...apps.map(async ({ name, end }) => `The ${name} ended unexpectedly: ${await end}. Its last words are above.`),
    redisTrouble(redis, over.signal),
  ];
  const trouble = Promise.race(troubles).then((text) => {
    throw new Fault(text);
  });
  trouble.catch(() => undefined);
  try {
    const ready = apps.map(({ name }) =>
      waitUntilReady(name, `${settings[name].url}/health/ready`, AbortSignal.any([asked, over.signal])),
    );
    await Promise.race([trouble, Promise.all(ready)]);
    welcome(settings, { redisUrl, seconds: (performance.now() - started) / 1000 });
    await Promise.race([trouble, untilAborted(asked)]);
  } catch (error) {
    // Before the apps are stopped, whose own last lines would bury it.
    tell(error);
    throw error;
  } finally {
    over.abort(new Stopped());
    say('Stopping: jobs in hand are finished first (Ctrl-C again stops at once) …');
    const graceMs = redis?.lives() === false ? WITHOUT_REDIS_MS : settings.graceMs;
    await Promise.all(apps.map((app) => app.stop(graceMs, forced)));
    if (forced.aborted) say('Stopped at once: jobs that were in hand run again after the next start.');
  }
}

/**
 * @param {import('./redis-server.mjs').RunningRedis | undefined} redis perhaps no child of ours, so it is looked at
 * @param {AbortSignal} over
 * @returns {Promise<string>}
 */
async function redisTrouble(redis, over) {
  while (!over.aborted && (redis === undefined || redis.lives()))
    await sleep(500, undefined, { signal: over }).catch(() => undefined);
  return `Redis ended unexpectedly. Its last words are in ${join(REDIS_DATA, 'redis.log')}.`;
}

/** @param {Settings} settings */
async function refuseTakenPorts({ api, worker }) {
  const doors = [
    { ...api, variable: 'PORT' },
    { ...worker, variable: 'WORKER_PORT' },
  ];
  for (const { host, port, variable } of doors) {
    if (await portIsTaken(host, port)) {
      throw new Fault(
        `Port ${port} on ${host} is taken by another program. Choose a free one: ${variable}=${port + 100} npm start`,
      );
    }
  }
}

/**
 * @param {string} redisUrl
 * @returns {NodeJS.ProcessEnv}
 */
function appEnv(redisUrl) {
  return {
    ...(isTerminal ? { LOG_FORMAT: 'pretty' } : {}),
    ...(hasColour ? { FORCE_COLOR: '1' } : {}),
    ...process.env,
    REDIS_URL: redisUrl,
  };
}

/**
 * @param {AbortSignal} signal
 * @returns {Promise<void>}
 */
function untilAborted(signal) {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
