import { Inject } from '@nestjs/common';
import { WebhookDeliver, webhookWaitMs } from '@antrean/catalog';
import { JobHandler, PermanentError, RetryAfterError, type Handles, type JobContext } from '@antrean/jobs';
import { OutboundPolicy, formatTraceparent, randomHex, signWebhook, type WebhookSecrets } from '@antrean/platform';
import { HostPlaces } from './host-places.js';
import { retryAfterMs } from './retry-after.js';
import { WebhookClient, type WebhookAnswer } from './webhook-client.js';
import { WebhookAnswerError, WebhookSecretMissingError } from './webhook-errors.js';

/** Injection token of the setting `WEBHOOK_SECRETS`. */
export const SECRETS = Symbol('SECRETS');

/** The result of a job that succeeded. */
export interface WebhookDeliverResult {
  readonly status: number;
}

/** Signs a message and posts it. What goes wrong is told without the URL, which may hold secrets. */
@JobHandler(WebhookDeliver)
export class WebhookDeliverHandler implements Handles<typeof WebhookDeliver> {
  constructor(
    private readonly client: WebhookClient,
    private readonly policy: OutboundPolicy,
    @Inject(SECRETS) private readonly secrets: WebhookSecrets,
    private readonly places: HostPlaces,
  ) {}

  async handle({ payload, attempt, traceId, signal }: JobContext<typeof WebhookDeliver>): Promise<WebhookDeliverResult> {
    const { url, secret_name: secretName, message_id: id, body } = payload;
    const fault = this.policy.faultOf(url);
    if (fault !== undefined) throw new PermanentError(`The webhook's URL ${fault}.`, { code: 'webhook_url_refused' });
    const secrets = this.secrets.get(secretName);
    if (secrets === undefined) throw new WebhookSecretMissingError(secretName);
    const target = new URL(url);
    const answer = await this.places.within(target.hostname, signal, () => {
      const headers = {
        ...signWebhook(id, new Date(), body, secrets),
        'user-agent': 'Antrean',
        traceparent: formatTraceparent({ traceId, parentId: randomHex(8), flags: 0 }),
      };
      return this.client.post(target, headers, body, signal);
    });
    return judge(answer, attempt);
  }
}

/** Standard Webhooks: 2xx is success, 410 asks for no more, anything else is tried again unless it can never pass. */
function judge({ status, retryAfter }: WebhookAnswer, attempt: number): WebhookDeliverResult {
  if (status >= 200 && status < 300) return { status };
  if (status === 410) {
    throw new PermanentError('The receiver answered 410: it wants no more messages at this URL.', { code: 'webhook_gone' });
  }
  const error = new WebhookAnswerError(status);
  const delayMs = status === 429 || status >= 500 ? retryAfterMs(retryAfter, Date.now()) : undefined;
  // A receiver may ask for more time, and not for all attempts within seconds.
  if (delayMs === undefined || delayMs <= webhookWaitMs(attempt)) throw error;
  throw new RetryAfterError(error.message, `${Math.round(delayMs)}ms`, { code: error.code, cause: error });
}
