import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import tls, { type Server, type TLSSocket } from 'node:tls';
import { closeRedis, connectRedis, type RedisConnection } from '@antrean/platform';
import { eventually } from '../support/eventually.js';
import { silentLogger } from '../support/shared-redis.js';

const fixture = (name: string): Buffer => readFileSync(new URL(`../fixtures/tls/${name}`, import.meta.url));

/** A server that takes nothing but TLS. */
class TlsListener {
  private readonly sockets = new Set<TLSSocket>();

  private constructor(private readonly server: Server) {}

  static async start(answer: (command: string) => string): Promise<TlsListener> {
    const server = tls.createServer({ key: fixture('hooks.test.key'), cert: fixture('hooks.test.crt') });
    const listener = new TlsListener(server);
    server.on('secureConnection', (socket) => {
      listener.sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('data', (bytes: Buffer) => {
        // What a client sends comes as arrays, maybe several at once.
        for (const command of bytes.toString().split(/(?=\*\d+\r\n)/)) socket.write(answer(command.toLowerCase()));
      });
    });
    server.listen(0, 'localhost');
    await once(server, 'listening');
    return listener;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** How it is called when its certificate is to be of its name. */
  get byName(): string {
    return `localhost:${this.port}`;
  }

  stop(): void {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
  }
}

const OK = '+OK\r\n';

/** As a Sentinel that knows of one master, on this port. */
function sentinelOf(port: number): (command: string) => string {
  const digits = String(port);
  return (command) => {
    if (command.includes('\r\nhello\r\n')) return '%1\r\n$5\r\nproto\r\n:3\r\n';
    if (command.includes('get-master-addr-by-name')) return `*2\r\n$9\r\nlocalhost\r\n$${digits.length}\r\n${digits}\r\n`;
    if (command.includes('\r\nsentinels\r\n')) return '*0\r\n';
    return OK;
  };
}

describe('with rediss in the address', () => {
  /** Whom a certificate was held against, as `host:port`. */
  const checked = new Set<string>();
  const listeners: TlsListener[] = [];
  let connection: RedisConnection;

  // The certificate is signed by nobody whom Node trusts, which it is told of only when a process starts, and is of one name.
  beforeAll(() => {
    const connect = tls.connect;
    jest.spyOn(tls, 'connect').mockImplementation((given) => {
      const options = given as tls.ConnectionOptions;
      const check = (host: string): undefined => void checked.add(`${host}:${options.port}`);
      return connect({ ...options, ca: fixture('hooks.test.crt'), checkServerIdentity: check });
    });
  });

  afterEach(() => {
    closeRedis(connection);
    for (const listener of listeners.splice(0)) listener.stop();
  });

  afterAll(() => {
    jest.restoreAllMocks();
  });

  const listen = async (answer: (command: string) => string): Promise<TlsListener> => {
    const listener = await TlsListener.start(answer);
    listeners.push(listener);
    return listener;
  };
  const open = (url: string): void => {
    connection = connectRedis(url, { name: 'tls', logger: silentLogger });
  };

  it('Sentinels and master are spoken to over TLS', async () => {
    const master = await listen(() => OK);
    const sentinel = await listen(sentinelOf(master.port));
    open(`rediss+sentinel://app:secret@${sentinel.byName}/jobs`);
    await eventually(() => {
      expect([...checked]).toEqual(expect.arrayContaining([sentinel.byName, master.byName]));
    });
  });

  it('certificates of the nodes of a Cluster are held against their names, not the addresses of these', async () => {
    const [one, other] = [await listen(() => OK), await listen(() => OK)];
    open(`rediss://${one.byName},${other.byName}`);
    await eventually(() => {
      expect([...checked]).toEqual(expect.arrayContaining([one.byName, other.byName]));
    });
  });
});
