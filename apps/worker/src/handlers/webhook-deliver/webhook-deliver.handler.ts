import { WebhookDeliver } from '@antrean/catalog';
import { JobHandler, PermanentError, RetryAfterError, type Handles, type JobContext } from '@antrean/jobs';
import { OutboundPolicy, formatTraceparent, randomHex } from '@antrean/platform';
import { HostPlaces } from '../../outbound/host-places.js';
import { OutboundClient } from '../../outbound/outbound-client.js';
import { OutboundTimeoutError } from '../../outbound/outbound-errors.js';
import { retryAfterMs } from '../../outbound/retry-after.js';
import { Signer } from '../../outbound/signer.js';
import { WebhookAnswerError, WebhookTimeoutError } from './webhook-errors.js';

/** The result of a job that succeeded. */
export interface WebhookDeliverResult {
  readonly status: number;
}

/** What a receiver answered; its body is not read. */
interface WebhookAnswer {
  readonly status: number;
  /** As it was sent. */
  readonly retryAfter: string | undefined;
}

/** From the connection to the last header of the answer. */
const PATIENCE_MS = 20_000;

/** Signs a message and posts it. What goes wrong is told without the URL, which may hold secrets. */
@JobHandler(WebhookDeliver)
export class WebhookDeliverHandler implements Handles<typeof WebhookDeliver> {
  constructor(
    private readonly client: OutboundClient,
    private readonly policy: OutboundPolicy,
    private readonly signer: Signer,
    private readonly places: HostPlaces,
  ) {}

  async handle({ payload, traceId, signal }: JobContext<typeof WebhookDeliver>): Promise<WebhookDeliverResult> {
    const { url, secret_name: secretName, message_id: id, body } = payload;
    const fault = this.policy.faultOf(url);
    if (fault !== undefined) throw new PermanentError(`The webhook's URL ${fault}.`, { code: 'webhook_url_refused' });
    const sign = this.signer.by(secretName);
    const target = new URL(url);
    const answer = await this.places.within(target.hostname, signal, () => {
      const headers = {
        ...sign(id, body),
        'user-agent': 'Antrean',
        traceparent: formatTraceparent({ traceId, parentId: randomHex(8), flags: 0 }),
        'content-type': 'application/json',
      };
      return this.post(target, headers, body, signal);
    });
    return judge(answer);
  }

  private async post(
    url: URL,
    headers: Readonly<Record<string, string>>,
    body: string,
    signal: AbortSignal,
  ): Promise<WebhookAnswer> {
    const call = { url, method: 'POST', headers, body: Buffer.from(body), timeoutMs: PATIENCE_MS };
    try {
      return await this.client.send(call, signal, ({ statusCode = 0, headers: { 'retry-after': retryAfter } }) => ({
        status: statusCode,
        retryAfter,
      }));
    } catch (error) {
      throw error instanceof OutboundTimeoutError ? new WebhookTimeoutError(error.message, { cause: error.cause }) : error;
    }
  }
}

/** Standard Webhooks: 2xx is success, 410 asks for no more, anything else is tried again unless it can never pass. */
function judge({ status, retryAfter }: WebhookAnswer): WebhookDeliverResult {
  if (status >= 200 && status < 300) return { status };
  if (status === 410) {
    throw new PermanentError('The receiver answered 410: it wants no more messages at this URL.', { code: 'webhook_gone' });
  }
  const error = new WebhookAnswerError(status);
  const delayMs = status === 429 || status >= 500 ? retryAfterMs(retryAfter, Date.now()) : undefined;
  if (delayMs === undefined) throw error;
  throw new RetryAfterError(error.message, `${Math.round(delayMs)}ms`, { code: error.code, cause: error });
}
