import { createServer } from 'node:net';
import { codeOf } from '../setup/process-record.mjs';

/** A port on the loopback interface that nobody listens on at the moment. */
export function freePort() {
  return /** @type {Promise<number>} */ (
    new Promise((resolve, reject) => {
      const server = createServer();
      server.once('error', reject);
      server.listen(0, '127.0.0.1', () => {
        const address = server.address();
        const port = typeof address === 'object' && address !== null ? address.port : 0;
        server.close(() => resolve(port));
      });
    })
  );
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
