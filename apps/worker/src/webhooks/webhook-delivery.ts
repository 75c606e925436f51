import { WebhookDeliver, type WebhookDeliverPayload } from '@antrean/catalog';
import type { WebhookDelivery } from '@antrean/jobs';
import { endedJob } from './ended-job.js';

/** How the ends of jobs become messages: Standard Webhooks' `{type, timestamp, data}`. */
export const webhookDelivery: WebhookDelivery<WebhookDeliverPayload> = {
  definition: WebhookDeliver,
  payloadOf: ({ id, event, url, secret, job }) => ({
    url,
    secret,
    message_id: id,
    // Dates write themselves as RFC 3339 with milliseconds.
    body: JSON.stringify({ type: event, timestamp: job.finishedAt, data: endedJob(job) }),
  }),
};
