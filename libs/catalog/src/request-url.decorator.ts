import { ValidateBy } from 'class-validator';
import { DISCREET, TEXT_BOUNDS, isWebhookUrl } from '@antrean/jobs';

const { max } = TEXT_BOUNDS.webhookUrl;

/** What a JSON schema can say of {@link IsRequestUrl}. */
export const REQUEST_URL_SCHEMA = {
  type: 'string',
  format: 'uri',
  maxLength: max,
  description: 'https; http, and private addresses, for the hosts in OUTBOUND_ALLOW only.',
} as const;

/** A URL as those of webhooks. Which hosts may be called is for the operator to say; the message does not repeat it. */
export function IsRequestUrl(): PropertyDecorator {
  return ValidateBy(
    { name: 'isRequestUrl', validator: { validate: isWebhookUrl } },
    {
      message: `$property must be an https: or http: URL of at most ${max} printable ASCII characters, without user`,
      ...DISCREET,
    },
  );
}
