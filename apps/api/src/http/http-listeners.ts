import type { Server, ServerResponse } from 'node:http';
import { listen, type ListenAddress } from '@antrean/platform';

const DRAIN_MS = 20_000;

/** The open ports of the process, and the requests in hand on them. */
export class HttpListeners {
  private readonly servers: Server[] = [];
  private readonly inHand = new Set<ServerResponse>();
  private draining = false;

  /** @param drainMs a request in hand that is not answered by then is cut off at the end. */
  constructor(private readonly drainMs = DRAIN_MS) {}

  /**
   * @returns its URL.
   * @throws {ListenError}
   */
  async open(server: Server, address: ListenAddress): Promise<string> {
    server.prependListener('request', (_request, response: ServerResponse) => {
      this.inHand.add(response);
      response.once('close', () => this.inHand.delete(response));
      if (this.draining) lastOfItsConnection(response);
    });
    const url = await listen(server, address);
    this.servers.push(server);
    return url;
  }

  /** Takes on requests and connections, but each connection ends with the next answer, so that its client comes back elsewhere. */
  drain(): void {
    this.draining = true;
    for (const response of this.inHand) lastOfItsConnection(response);
  }

  /**
   * One port after the other, the last opened first: takes no new connections, lets the requests in hand be answered, and ends
   * their connections after that.
   */
  async close(): Promise<void> {
    this.drain();
    for (const server of this.servers.splice(0).reverse()) await closed(server, this.drainMs);
  }
}

/** Without it, a connection would stay open for its keep-alive time after the answer, and the process with it. */
function lastOfItsConnection(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('Connection', 'close');
}

/** Closes the idle connections at once, the others after their answer. */
function closed(server: Server, withinMs: number): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => {
      server.closeAllConnections();
    }, withinMs);
    server.close(() => {
      clearTimeout(cut);
      resolve();
    });
  });
}
