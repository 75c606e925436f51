import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import { OutboundRefusedError, type OutboundPolicy } from '@antrean/platform';
import { WebhookConnectionError, WebhookTimeoutError } from './webhook-errors.js';

/** What a receiver answered; its body is not read. */
export interface WebhookAnswer {
  readonly status: number;
  /** As it was sent. */
  readonly retryAfter: string | undefined;
}

/** From the connection to the last header of the answer. */
const PATIENCE_MS = 20_000;
/** Of all headers of an answer. */
const MAX_HEADER_BYTES = 16_384;

/** Posts a message once: no redirects, no connection kept, and to no address that the policy refuses. */
export class WebhookClient {
  /** @param trusted certificates, as PEM, that count instead of those that Node trusts. */
  constructor(
    private readonly policy: OutboundPolicy,
    private readonly trusted?: string,
  ) {}

  /**
   * @param url one with which the policy finds no fault.
   * @throws {OutboundRefusedError} when the host has no address that may be called; {@link WebhookTimeoutError};
   * {@link WebhookConnectionError} for what sockets and TLS throw.
   */
  async post(url: URL, headers: Readonly<Record<string, string>>, body: string, signal: AbortSignal): Promise<WebhookAnswer> {
    const bytes = Buffer.from(body);
    const patience = AbortSignal.timeout(PATIENCE_MS);
    const options: RequestOptions = {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', 'content-length': bytes.length },
      // A connection that is kept would be used again after the name stands for another address.
      agent: false,
      lookup: this.policy.lookup,
      maxHeaderSize: MAX_HEADER_BYTES,
      signal: AbortSignal.any([signal, patience]),
      ...(this.trusted !== undefined && { ca: this.trusted }),
    };
    try {
      const answer = await send(url, options, bytes);
      answer.destroy();
      return { status: answer.statusCode ?? 0, retryAfter: answer.headers['retry-after'] };
    } catch (error) {
      if (patience.aborted && !signal.aborted) throw new WebhookTimeoutError(PATIENCE_MS, { cause: error });
      throw signal.aborted ? error : withoutAddress(error);
    }
  }
}

function withoutAddress(error: unknown): unknown {
  // What sockets, TLS and DNS throw has a code.
  const { code } = error as NodeJS.ErrnoException;
  return error instanceof OutboundRefusedError || code === undefined ? error : new WebhookConnectionError(code, { cause: error });
}

function send(url: URL, options: RequestOptions, body: Buffer): Promise<IncomingMessage> {
  const open = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    open(url, options, resolve)
      // Nobody asked for another protocol. Without a listener Node would close the connection and tell nobody.
      .on('upgrade', (answer, socket) => {
        socket.destroy();
        resolve(answer);
      })
      // Errors after the head of the answer find nobody: its body is let go.
      .on('error', reject)
      .on('close', () => {
        reject(new Error('The connection was closed without an answer.'));
      })
      .end(body);
  });
}
