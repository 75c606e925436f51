/**
 * The few settings that the start script itself needs. The apps check all of them; what they would refuse is left to them.
 */
export function readSettings(env = process.env) {
  const api = { host: env['HOST'] || '127.0.0.1', port: toPort(env['PORT'], 3000) };
  const worker = { host: env['WORKER_HOST'] || '127.0.0.1', port: toPort(env['WORKER_PORT'], 3001) };
  const graceSec = Number(env['SHUTDOWN_GRACE_SEC'] || 25);
  return {
    api: { ...api, url: urlOf(api) },
    worker: { ...worker, url: urlOf(worker) },
    redisUrl: env['REDIS_URL'] || undefined,
    /** The worker's own grace, and time to abort and hand back what is left then. */
    graceMs: ((Number.isFinite(graceSec) ? graceSec : 25) + 10) * 1_000,
    hasKeys: Boolean(env['API_KEYS']),
    sendsMail: Boolean(env['SMTP_URL']),
  };
}

/** @typedef {ReturnType<typeof readSettings>} Settings */

/**
 * @param {string | undefined} text
 * @param {number} fallback
 */
function toPort(text, fallback) {
  const port = Number(text || fallback);
  return Number.isInteger(port) && port > 0 && port < 65_536 ? port : fallback;
}

/** @param {{host: string, port: number}} address where it listens; all interfaces are reached by the loopback one */
function urlOf({ host, port }) {
  const reachable = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}
