import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ports that systems hand out by themselves: no suite beside this one is given it in the meantime. */
const LOWEST = 10_000;
const COUNT = 10_000;

/** A port on the loopback interface that nobody listens on at the moment. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = LOWEST + Math.floor(Math.random() * COUNT);
    const server = createServer();
    server.listen(port, '127.0.0.1');
    try {
      // Rejects when the server tells of an error first: somebody listens there.
      await once(server, 'listening');
    } catch {
      continue;
    }
    server.close();
    await once(server, 'close');
    return port;
  }
}
