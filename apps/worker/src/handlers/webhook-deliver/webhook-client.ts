import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import type { OutboundPolicy } from '@antrean/platform';

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
   * @throws {OutboundRefusedError} when the host has no address that may be called; else what sockets and TLS throw.
   */
  async post(url: URL, headers: Readonly<Record<string, string>>, body: string, signal: AbortSignal): Promise<WebhookAnswer> {
    const bytes = Buffer.from(body);
    const options: RequestOptions = {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', 'content-length': bytes.length },
      // A connection that is kept would be used again after the name stands for another address.
      agent: false,
      lookup: this.policy.lookup,
      maxHeaderSize: MAX_HEADER_BYTES,
      signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]),
      ...(this.trusted !== undefined && { ca: this.trusted }),
    };
    const answer = await send(url, options, bytes);
    answer.destroy();
    return { status: answer.statusCode ?? 0, retryAfter: answer.headers['retry-after'] };
  }
}

function send(url: URL, options: RequestOptions, body: Buffer): Promise<IncomingMessage> {
  const open = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    // Errors after the head of the answer find nobody: its body is let go.
    open(url, options, resolve).on('error', reject).end(body);
  });
}
