import { freePort } from './ports.mjs';

/**
 * The few settings that the start script itself needs. The apps check all of them; what they would refuse is left to them.
 * Port 0 asks for any free one; it is chosen here, so that it can be told.
 */
export async function readSettings(env = process.env) {
  const api = { host: env['HOST'] || '127.0.0.1', ...(await portFrom('PORT', env, 3000)) };
  const worker = { host: env['WORKER_HOST'] || '127.0.0.1', ...(await portFrom('WORKER_PORT', env, 3001)) };
  const graceSec = Number(env['SHUTDOWN_GRACE_SEC'] || 25);
  return {
    api: { ...api, url: urlOf(api) },
    worker: { ...worker, url: urlOf(worker) },
    redisUrl: env['REDIS_URL'] || undefined,
    /** The worker's own grace, and time to abort and hand back what is left then. */
    graceMs: ((Number.isFinite(graceSec) ? graceSec : 25) + 10) * 1_000,
    /** The database is this folder's own, to try things out: it may be filled with an example. */
    ownDatabase: !env['DATABASE_URL'] && env['NODE_ENV'] !== 'production',
    hasKeys: Boolean(env['API_KEYS']),
    sendsMail: Boolean(env['SMTP_URL']),
  };
}

/** @typedef {Awaited<ReturnType<typeof readSettings>>} Settings */

/**
 * @param {string} variable
 * @param {NodeJS.ProcessEnv} env
 * @param {number} fallback
 * @returns {Promise<{port: number, chosen: NodeJS.ProcessEnv}>} `chosen` is what the app is to be told instead of 0
 */
async function portFrom(variable, env, fallback) {
  const wanted = Number(env[variable] || fallback);
  if (wanted === 0) {
    const port = await freePort();
    return { port, chosen: { [variable]: String(port) } };
  }
  return { port: Number.isInteger(wanted) && wanted > 0 && wanted < 65_536 ? wanted : fallback, chosen: {} };
}

/** @param {{host: string, port: number}} address where it listens; all interfaces are reached by the loopback one */
function urlOf({ host, port }) {
  const reachable = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}
