import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import { OutboundRefusedError, type OutboundPolicy } from '@antrean/platform';
import { OutboundConnectionError, OutboundTimeoutError } from './outbound-errors.js';

/** One request to a URL that somebody else chose. */
export interface OutboundCall {
  /** One with which the policy finds no fault. */
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined: there is none. */
  readonly body: Buffer | undefined;
  /** From the connection to the last that is read of the answer. */
  readonly timeoutMs: number;
}

/** Of all headers of an answer. */
const MAX_HEADER_BYTES = 16_384;

/** Makes a call once: no redirects, no connection kept, and to no address that the policy refuses. */
export class OutboundClient {
  /** @param trusted certificates, as PEM, that count instead of those that Node trusts. */
  constructor(
    private readonly policy: OutboundPolicy,
    private readonly trusted?: string,
  ) {}

  /**
   * What `read` makes of the answer; the connection is closed after it.
   * @throws {OutboundRefusedError} when the host has no address that may be called; {@link OutboundTimeoutError};
   * {@link OutboundConnectionError} for what sockets and TLS throw.
   */
  async send<T>(call: OutboundCall, signal: AbortSignal, read: (answer: IncomingMessage) => T | Promise<T>): Promise<T> {
    const { url, method, headers, body, timeoutMs } = call;
    const patience = AbortSignal.timeout(timeoutMs);
    const options: RequestOptions = {
      method,
      headers: { ...headers, ...(body !== undefined && { 'content-length': body.length }) },
      // A connection that is kept would be used again after the name stands for another address.
      agent: false,
      lookup: this.policy.lookup,
      maxHeaderSize: MAX_HEADER_BYTES,
      signal: AbortSignal.any([signal, patience]),
      ...(this.trusted !== undefined && { ca: this.trusted }),
    };
    try {
      const answer = await begin(url, options, body);
      try {
        return await read(answer);
      } finally {
        answer.destroy();
      }
    } catch (error) {
      if (patience.aborted && !signal.aborted) throw new OutboundTimeoutError(timeoutMs, { cause: error });
      throw signal.aborted ? error : withoutAddress(error);
    }
  }
}

function withoutAddress(error: unknown): unknown {
  // What sockets, TLS and DNS throw has a code.
  const { code } = error as NodeJS.ErrnoException;
  return error instanceof OutboundRefusedError || code === undefined
    ? error
    : new OutboundConnectionError(code, { cause: error });
}

function begin(url: URL, options: RequestOptions, body: Buffer | undefined): Promise<IncomingMessage> {
  const open = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    open(url, options, resolve)
      // Nobody asked for another protocol. Without a listener Node would close the connection and tell nobody.
      .on('upgrade', (answer, socket) => {
        socket.destroy();
        resolve(answer);
      })
      // Errors after the head of the answer find nobody here: whoever reads on comes upon them.
      .on('error', reject)
      .on('close', () => {
        reject(new Error('The connection was closed without an answer.'));
      })
      .end(body);
  });
}
