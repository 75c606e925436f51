import { createServer } from 'node:net';
import { codeOf } from '../setup/process-record.mjs';

/** Below the ports that systems hand out by themselves (from 32768 on), so that nobody is given one before it is used. */
const LOWEST = 20_000;
const COUNT = 12_000;

/** A port on the loopback interface that nobody listens on at the moment. */
export async function freePort() {
  for (;;) {
    const port = LOWEST + Math.floor(Math.random() * COUNT);
    if (!(await portIsTaken('127.0.0.1', port))) return port;
  }
}

/**
 * @param {string} host
 * @param {number} port
 * @returns {Promise<boolean>} whether some program listens there already
 */
export function portIsTaken(host, port) {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error) => resolve(codeOf(error) === 'EADDRINUSE'));
    server.listen(port, host, () => server.close(() => resolve(false)));
  });
}
