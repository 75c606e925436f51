import { EventEmitter, once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { PostgresEar } from '../../libs/shop/src/database/postgres/postgres-ear.js';

/** Answers so many messages as a PostgreSQL would, and then no more; it does not even hang up. */
function deafAfter(answers: number): { readonly server: Server; readonly news: EventEmitter } {
  const news = new EventEmitter();
  const ready = message('Z', Buffer.from('I'));
  const listening = [
    Buffer.concat([message('R', Buffer.alloc(4)), ready]),
    Buffer.concat([message('C', Buffer.from('LISTEN\0')), ready]),
  ];
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    let heard = 0;
    socket.on('error', () => undefined);
    socket.on('data', () => {
      const answer = heard < answers ? listening[heard] : undefined;
      heard += 1;
      if (answer === undefined) news.emit('deaf');
      else socket.write(answer);
    });
  });
  return { server, news };
}

function message(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

describe('an ear at a PostgreSQL that has gone deaf', () => {
  it.each([
    ['while it connects', 0],
    ['when it is asked to listen', 1],
    ['later', 2],
  ])('can be stopped: %s', async (_when, answers) => {
    const { server, news } = deafAfter(answers);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo; // It listens on a TCP port.
    const listening = once(news, answers === 2 ? 'listening' : 'deaf');
    const ear = new PostgresEar(`postgres://ana:secret@127.0.0.1:${port}/shop`, 'news', () => news.emit('listening'));
    ear.start();
    await listening;
    await ear.stop();
    server.close();
  });
});
