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

/** The receiver took its time, or nobody was there to refuse the connection. */
export class WebhookTimeoutError extends Error {
  override readonly name = 'WebhookTimeoutError';
  readonly code = 'webhook_timeout';
}
