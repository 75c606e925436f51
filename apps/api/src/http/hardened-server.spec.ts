import { connect, type AddressInfo, type Socket } from 'node:net';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { createHardenedServer } from './hardened-server.js';

it('a header that is not complete in time is answered with 408 within a second of that', async () => {
  const server = createHardenedServer(() => undefined, { headersMs: 200 });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo; // It listens on a TCP port.
  const start = performance.now();
  const socket = connect({ host: '127.0.0.1', port });
  socket.write('GET / HTTP/1.1\r\nHo');
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 408 (.+\r\n)+\r\n.*"code":"request_timeout"/);
  expect(performance.now() - start).toBeLessThan(3_000);
  server.close();
});

it('a client that does not read its answer is cut off', async () => {
  const server = createHardenedServer(
    (_request, response) => {
      response.end(Buffer.alloc(32 * 1_024 * 1_024));
    },
    { inactivityMs: 200 },
  );
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo; // It listens on a TCP port.
  const cutOff = once(server, 'connection').then(([socket]) => once(socket as Socket, 'close'));
  const socket = connect({ host: '127.0.0.1', port }).pause();
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await cutOff;
  socket.destroy();
  server.close();
}, 10_000);

it('a header behind thousands of others counts too', async () => {
  const server = createHardenedServer((request, response) => response.end(request.headers['idempotency-key']));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo; // It listens on a TCP port.
  const socket = connect({ host: '127.0.0.1', port });
  const many = 'a:\r\n'.repeat(2_100);
  socket.write(`GET / HTTP/1.1\r\nHost: x\r\n${many}Idempotency-Key: k\r\nConnection: close\r\n\r\n`);
  expect(await text(socket)).toMatch(/\r\n\r\n.*\bk\b/s);
  server.close();
});

it('an expectation that nobody knows is passed over', async () => {
  const server = createHardenedServer((request, response) => response.end(request.url));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo; // It listens on a TCP port.
  const socket = connect({ host: '127.0.0.1', port });
  socket.write('GET /here HTTP/1.1\r\nHost: x\r\nExpect: foo\r\nConnection: close\r\n\r\n');
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 .*\/here/s);
  server.close();
});
