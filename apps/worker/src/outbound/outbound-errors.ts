/**
 * There was no connection, or it broke. The text names neither the host nor an address, as what the system says does: whoever may read
 * jobs sees it, and the URL is not for them.
 */
export class OutboundConnectionError extends Error {
  override readonly name = 'OutboundConnectionError';

  constructor(
    readonly code: string,
    options: { readonly cause: unknown },
  ) {
    super(`The receiver could not be called: ${code}.`, options);
  }
}

/** The receiver took its time, or nobody was there to refuse the connection. */
export class OutboundTimeoutError extends Error {
  override readonly name = 'OutboundTimeoutError';
  readonly code = 'http_timeout';

  constructor(timeoutMs: number, options: { readonly cause: unknown }) {
    super(`The receiver did not answer within ${timeoutMs / 1_000} s.`, options);
  }
}
