import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** An idle connection may be used: the last message of each answer. */
const READY = Buffer.from('Z\0\0\0\x05I', 'latin1');
const FIELDS = 'SFATAL\0VFATAL\0C57P01\0Mterminating connection due to administrator command\0\0';

/** Stands before a PostgreSQL whose operator ends the first connection at the very moment it becomes ready. */
export class BriefPostgres {
  private readonly sockets = new Set<Socket>();
  private isFirst = true;
  private readonly server = createServer((client) => {
    this.serve(client);
  });

  private constructor(private readonly target: URL) {}

  static async before(url: string): Promise<BriefPostgres> {
    const brief = new BriefPostgres(new URL(url));
    brief.server.listen(0, '127.0.0.1');
    await once(brief.server, 'listening');
    return brief;
  }

  get url(): string {
    const url = new URL(this.target);
    // It listens on a port, not on a path.
    url.port = String((this.server.address() as AddressInfo).port);
    return url.href;
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }

  private serve(client: Socket): void {
    const upstream = connect({ host: this.target.hostname, port: Number(this.target.port) });
    client.pipe(upstream);
    upstream.on('data', (chunk) => {
      if (!this.isFirst || !chunk.subarray(-READY.length).equals(READY)) return client.write(chunk);
      this.isFirst = false;
      // At once, so that both are read at once.
      return client.end(Buffer.concat([chunk, lastWords()]));
    });
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      this.sockets.add(socket);
      socket.on('close', () => {
        this.sockets.delete(socket);
        other.destroy();
      });
      // Its close follows, and says all there is to say.
      socket.on('error', () => undefined);
    }
  }
}

function lastWords(): Buffer {
  const message = Buffer.alloc(5 + FIELDS.length);
  message.write('E', 0);
  message.writeInt32BE(4 + FIELDS.length, 1);
  message.write(FIELDS, 5);
  return message;
}
