/** The receiver did not take the message. Whether it may later is told by the status. */
export class WebhookAnswerError extends Error {
  override readonly name = 'WebhookAnswerError';
  readonly code = 'webhook_refused';

  constructor(readonly status: number) {
    super(
      status >= 300 && status < 400
        ? `The receiver answered ${status}; redirects are not followed.`
        : `The receiver answered ${status}.`,
    );
  }
}

/** It may be there after the next start of a worker, so it is tried again. */
export class WebhookSecretMissingError extends Error {
  override readonly name = 'WebhookSecretMissingError';
  readonly code = 'webhook_secret_missing';

  constructor(name: string) {
    super(`WEBHOOK_SECRETS of this worker has no secret for ${name}.`);
  }
}

/**
 * There was no connection, or it broke. The text names neither the host nor an address, as what the system says does: whoever may read
 * jobs sees it, and the URL is not for them.
 */
export class WebhookConnectionError extends Error {
  override readonly name = 'WebhookConnectionError';

  constructor(
    readonly code: string,
    options: { readonly cause: unknown },
  ) {
    super(`The receiver could not be called: ${code}.`, options);
  }
}

/** The receiver took its time, or nobody was there to refuse the connection. */
export class WebhookTimeoutError extends Error {
  override readonly name = 'WebhookTimeoutError';
  readonly code = 'webhook_timeout';

  constructor(patienceMs: number, options: { readonly cause: unknown }) {
    super(`The receiver did not answer within ${patienceMs / 1_000} s.`, options);
  }
}
