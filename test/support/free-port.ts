import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';

/** A port on the loopback interface that nobody listens on at the moment. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A TCP server that listens has an address of this form.
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
