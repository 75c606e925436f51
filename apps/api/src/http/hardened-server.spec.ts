import { connect, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { createHardenedServer } from './hardened-server.js';

it('a header that is not complete in time is answered with 408 within a second of that', async () => {
  const server = createHardenedServer(() => undefined, { headersTimeoutMs: 200 });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo; // It listens on a TCP port.
  const start = performance.now();
  const socket = connect({ host: '127.0.0.1', port });
  socket.write('GET / HTTP/1.1\r\nHo');
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 408 (.+\r\n)+\r\n.*"code":"request_timeout"/);
  expect(performance.now() - start).toBeLessThan(3_000);
  server.close();
});
