import { once } from 'node:events';
import type { IncomingMessage, Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { letUploadArrive } from './body-arrival.js';
import { createHardenedServer } from './hardened-server.js';

const LIMITS = { arrival: { bodyMs: 300, upload: { bytes: 100, everyMs: 300 } } };
const LATE = /^HTTP\/1\.1 408 (.+\r\n)+\r\n.*"code":"request_timeout"/;

describe('the body of a request', () => {
  let server: Server | undefined;

  afterEach(() => {
    server?.closeAllConnections();
    server?.close();
  });

  /** Answers with how long the body is, once it has come. */
  async function serve(read: (request: IncomingMessage) => Promise<string>): Promise<Socket> {
    server = createHardenedServer((request, response) => {
      void read(request).then(
        (body) => response.end(`${body.length} bytes`),
        () => response.destroy(),
      );
    }, LIMITS);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo; // It listens on a TCP port.
    return connect({ host: '127.0.0.1', port });
  }

  const begin = (socket: Socket, length: number) =>
    socket.write(`POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${length}\r\n\r\n`);

  /** So many bytes every 50 ms, until all are sent or the server closes. */
  async function drip(socket: Socket, bytes: number, times: number): Promise<void> {
    socket.on('error', () => undefined);
    begin(socket, bytes * times);
    for (let nth = 0; nth < times && !socket.destroyed && socket.writable; nth += 1) {
      socket.write('x'.repeat(bytes));
      await pause(50);
    }
  }

  const upload = (request: IncomingMessage): Promise<string> => {
    letUploadArrive(request);
    return text(request);
  };

  it('that is not there in time is answered with 408, and its connection ends though its client goes on', async () => {
    const socket = await serve(text);
    const [answer] = await Promise.all([text(socket), drip(socket, 50, 60)]);
    expect(answer).toMatch(LATE);
    expect(socket.destroyed).toBe(true);
  });

  it('that is there in time is taken, also on a connection that is older', async () => {
    const socket = await serve(text);
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nab');
    expect(String(await once(socket, 'data'))).toContain('2 bytes');
    await pause(400);
    begin(socket, 3);
    socket.write('abc');
    expect(await text(socket)).toContain('3 bytes');
  });

  it('of an upload may take longer while it keeps coming', async () => {
    const socket = await serve(upload);
    const [answer] = await Promise.all([text(socket), drip(socket, 50, 24)]);
    expect(answer).toMatch(/^HTTP\/1\.1 200 .*1200 bytes/s);
  });

  it('of an upload that only trickles, or does not come, is answered with 408', async () => {
    for (const bytes of [1, 0]) {
      const socket = await serve(upload);
      const [answer] = await Promise.all([text(socket), bytes === 0 ? begin(socket, 9) : drip(socket, bytes, 60)]);
      expect(answer).toMatch(LATE);
    }
  });

  it('of an upload is waited for while it is we who do not take it', async () => {
    const length = 4_000_000;
    const socket = await serve(async (request) => {
      letUploadArrive(request);
      await pause(1_200);
      return text(request);
    });
    begin(socket, length);
    socket.write(Buffer.alloc(length, 'x'));
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 .*4000000 bytes/s);
  });
});
