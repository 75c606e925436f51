import { WebhookDeliver, type WebhookDeliverPayload } from '@antrean/catalog';
import { jobJson, toMs, type WebhookDelivery } from '@antrean/jobs';

/** How the ends of jobs become messages: Standard Webhooks' `{type, timestamp, data}`, the job without its payload. */
export const webhookDelivery: WebhookDelivery<WebhookDeliverPayload> = {
  definition: WebhookDeliver,
  // Far beyond all attempts: it ends those only that find no place at a busy host, which uses no attempt.
  expiresInMs: toMs('30d'),
  payloadOf: ({ id, event, url, secretName, job }) => {
    const { payload: _payload, ...data } = jobJson(job);
    return {
      url,
      secret_name: secretName,
      message_id: id,
      body: JSON.stringify({ type: event, timestamp: data.finished_at, data }),
    };
  },
};
