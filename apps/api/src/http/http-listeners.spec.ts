import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { HttpListeners } from './http-listeners.js';

const address = { host: '127.0.0.1', port: 0, variables: 'PORT' };

describe('HttpListeners', () => {
  const sockets: Socket[] = [];

  /** A connection with one request on it, and a promise of the moment the server has it in hand. */
  async function ask(listeners: HttpListeners, answer: RequestListener): Promise<Socket> {
    const server = createServer(answer);
    const { hostname, port } = new URL(await listeners.open(server, address));
    const inHand = once(server, 'request');
    const socket = connect({ host: hostname, port: Number(port) });
    sockets.push(socket);
    socket.on('error', () => undefined);
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await inHand;
    return socket;
  }

  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
  });

  it('let a request in hand be answered, and end its connection with the answer', async () => {
    const listeners = new HttpListeners();
    let answer: () => void = () => undefined;
    const socket = await ask(listeners, (_request, response) => {
      answer = () => response.end('done');
    });
    const closed = listeners.close();
    answer();
    await closed;
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 OK\r\n(.+\r\n)*Connection: close\r\n(.+\r\n)*\r\n(.+\r\n)?done/);
  });

  it('end connections that are only kept open', async () => {
    const listeners = new HttpListeners();
    const socket = await ask(listeners, (_request, response) => response.end('done'));
    await once(socket, 'data');
    await listeners.close();
    await expect(text(socket)).resolves.toBe('');
  });

  it('cut off a request that is not answered in time', async () => {
    const listeners = new HttpListeners(50);
    const socket = await ask(listeners, () => undefined);
    await listeners.close();
    await expect(text(socket)).resolves.toBe('');
  });

  it('take no new connection while they close', async () => {
    const listeners = new HttpListeners(50);
    const socket = await ask(listeners, () => undefined);
    const closed = listeners.close();
    const late = connect({ host: '127.0.0.1', port: socket.remotePort ?? 0 });
    const [error] = (await once(late, 'error')) as [NodeJS.ErrnoException];
    expect(error.code).toBe('ECONNREFUSED');
    await closed;
  });
});
