import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { RespFrames, argumentsOf } from './resp-frames.js';

/** A command that Redis has carried out, and its reply that has not reached the client yet. */
export interface Answered {
  readonly args: readonly Buffer[];
  readonly reply: Buffer;
}

/** What becomes of the connection with the reply: it is closed, or stays open and nothing goes through any more. */
export type Loss = 'close' | 'half_open';

interface Drop {
  readonly matches: (answered: Answered) => boolean;
  readonly loss: Loss;
  readonly done: () => void;
}

/** Stands between clients and a Redis, and loses replies that it is told to lose. */
export class ReplyDropper {
  private readonly drops: Drop[] = [];
  /** And what makes each of them half-open. */
  private readonly clients = new Map<Socket, () => void>();

  private constructor(
    private readonly server: Server,
    private readonly target: URL,
    private readonly onReply: (answered: Answered) => void,
  ) {
    server.on('connection', (client) => {
      this.serve(client);
    });
  }

  /** @param onReply told of each reply that reaches a client; of none on a connection that has subscribed. */
  static async start(redisUrl: string, onReply: (answered: Answered) => void = () => undefined): Promise<ReplyDropper> {
    const server = createServer({ noDelay: true });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new ReplyDropper(server, new URL(redisUrl), onReply);
  }

  get url(): string {
    // It listens on a port, not on a path.
    const { port } = this.server.address() as AddressInfo;
    return `redis://127.0.0.1:${port}`;
  }

  /** Loses the next reply that matches. Resolves once it is lost. */
  dropNext(loss: Loss, matches: Drop['matches']): Promise<void> {
    return new Promise((done) => this.drops.push({ matches, loss, done }));
  }

  /** Closes all connections. */
  cut(): void {
    for (const client of this.clients.keys()) client.destroy();
  }

  /** Leaves all connections open and lets nothing through them any more. */
  freeze(): void {
    for (const makeHalfOpen of this.clients.values()) makeHalfOpen();
  }

  async stop(): Promise<void> {
    this.cut();
    this.server.close();
    await once(this.server, 'close');
  }

  private serve(client: Socket): void {
    const upstream = connect({ host: this.target.hostname, port: Number(this.target.port), noDelay: true });
    const commands = new RespFrames();
    const replies = new RespFrames();
    const waiting: (readonly Buffer[])[] = [];
    let mode: 'watched' | 'unwatched' | 'dead' = 'watched';
    this.clients.set(client, () => (mode = 'dead'));
    client.on('data', (chunk) => {
      if (mode === 'dead') return;
      if (mode === 'watched') waiting.push(...commands.push(chunk).map(argumentsOf));
      // From now on messages come between the replies.
      if (waiting.some(([name]) => name?.toString().toLowerCase() === 'ssubscribe')) mode = 'unwatched';
      upstream.write(chunk);
    });
    upstream.on('data', (chunk) => {
      if (mode === 'unwatched') client.write(chunk);
      if (mode !== 'watched') return;
      for (const reply of replies.push(chunk)) {
        const answered = { args: waiting.shift() ?? [], reply };
        const drop = this.dropFor(answered);
        if (drop === undefined) {
          client.write(reply);
          this.onReply(answered);
          continue;
        }
        mode = 'dead';
        if (drop.loss === 'close') client.destroy();
        drop.done();
        return;
      }
    });
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      socket.on('close', () => {
        this.clients.delete(client);
        other.destroy();
      });
      // Its close follows, and says all there is to say.
      socket.on('error', () => undefined);
    }
  }

  private dropFor(answered: Answered): Drop | undefined {
    const index = this.drops.findIndex(({ matches }) => matches(answered));
    return index < 0 ? undefined : this.drops.splice(index, 1)[0];
  }
}
