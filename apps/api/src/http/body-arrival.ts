import type { IncomingMessage, Server } from 'node:http';

/** How long the server waits for bodies. */
export interface ArrivalLimits {
  /** For the whole of a body. */
  readonly bodyMs: number;
  /** For an upload, which may take as long as it needs: so much has to come in each span of time. */
  readonly upload: { readonly bytes: number; readonly everyMs: number };
}

/** A client that was told to be late, and goes on, has so long until its connection is cut. */
const LAST_WORD_MS = 1_000;

const arrivals = new WeakMap<IncomingMessage, BodyArrival>();

/** Bounds how long the server's clients may take to send a body. Node's own bound is the same for all requests. */
export function boundArrivals(server: Server, limits: ArrivalLimits): void {
  server.prependListener('request', (request) => {
    if (bringsBody(request)) arrivals.set(request, new BodyArrival(server, request, limits));
  });
}

/** From here on the body of the request may take as long as it needs, as long as it keeps coming. To be called by who reads it bit by bit. */
export function letUploadArrive(request: IncomingMessage): void {
  arrivals.get(request)?.keepPace();
}

class BodyArrival {
  private timer: NodeJS.Timeout;
  private bytesBefore = 0;

  constructor(
    private readonly server: Server,
    private readonly request: IncomingMessage,
    private readonly limits: ArrivalLimits,
  ) {
    this.timer = setTimeout(() => {
      this.end();
    }, limits.bodyMs);
    request.once('close', () => {
      clearTimeout(this.timer);
    });
  }

  /** @param isExcused when the span begins with a delay of ours: the client can send only after that. */
  keepPace(isExcused = false): void {
    const { bytes, everyMs } = this.limits.upload;
    this.bytesBefore = this.request.socket.bytesRead;
    this.after(everyMs, () => {
      // What came and was not taken yet is our delay, and keeps the client from sending more.
      const isOurDelay = this.request.readableLength > 0;
      const isOnPace = this.request.socket.bytesRead - this.bytesBefore >= bytes;
      if (isOurDelay || isExcused || isOnPace) this.keepPace(isOurDelay);
      else this.end();
    });
  }

  /** As Node ends a request that is late by its own bound. */
  private end(): void {
    const { complete, socket } = this.request;
    if (complete || socket.destroyed) return;
    const late = Object.assign(new Error('The body of a request did not come in time.'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
    this.server.emit('clientError', late, socket);
    this.after(LAST_WORD_MS, () => socket.destroy());
  }

  private after(ms: number, work: () => void): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(work, ms);
  }
}

function bringsBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
