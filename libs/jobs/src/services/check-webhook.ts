import { urlFault } from '@antrean/platform';
import type { Violation } from '../definition/errors.js';
import { TEXT_BOUNDS } from '../definition/option-bounds.js';
import { WEBHOOK_EVENTS_RULE, areWebhookEvents } from '../definition/webhook.js';
import { textFaults } from './check-texts.js';

/** What is wrong with a webhook, as far as it can be told without the network. The URL is repeated nowhere: it may hold secrets. */
export function webhookFaults(pointer: string, value: unknown): readonly Violation[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return [{ pointer, detail: 'must be an object with a url and the name of a secret' }];
  }
  const { url, events, secretName } = value as Readonly<Record<string, unknown>>;
  return [
    ...urlFaults(`${pointer}/url`, url),
    ...(events === undefined || areWebhookEvents(events) ? [] : [{ pointer: `${pointer}/events`, detail: WEBHOOK_EVENTS_RULE }]),
    ...textFaults(`${pointer}/secretName`, secretName, TEXT_BOUNDS.secretName),
  ];
}

/** Whether a value can be the URL of a webhook, as far as it can be told without the network and what the operator allows. */
export function isWebhookUrl(value: unknown): boolean {
  return urlFaults('', value).length === 0;
}

/** Bounded in bytes too, as all that stands beside a payload. */
const PRINTABLE_ASCII = /^[\x21-\x7e]*$/;

function urlFaults(pointer: string, value: unknown): readonly Violation[] {
  const faults = textFaults(pointer, value, TEXT_BOUNDS.webhookUrl);
  if (faults.length > 0 || typeof value !== 'string') return faults;
  if (!PRINTABLE_ASCII.test(value))
    return [{ pointer, detail: 'must have printable ASCII characters only, others in their encoded form' }];
  const detail = urlFault(value);
  return detail === undefined ? [] : [{ pointer, detail }];
}
