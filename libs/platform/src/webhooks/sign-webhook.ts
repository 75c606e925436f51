import { createHmac } from 'node:crypto';

/** The headers of one delivery, as Standard Webhooks 1.0 has them. */
export interface WebhookHeaders {
  readonly 'webhook-id': string;
  readonly 'webhook-timestamp': string;
  readonly 'webhook-signature': string;
}

/**
 * Signs a message by every secret, so that receivers may take up a new one while the old one still counts.
 * @param at the time of this attempt; the id is that of the message and the same with every attempt.
 */
export function signWebhook(id: string, at: Date, body: string, secrets: readonly Buffer[]): WebhookHeaders {
  const timestamp = String(Math.floor(at.getTime() / 1_000));
  const signed = `${id}.${timestamp}.${body}`;
  const signatures = secrets.map((secret) => `v1,${createHmac('sha256', secret).update(signed).digest('base64')}`);
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}
