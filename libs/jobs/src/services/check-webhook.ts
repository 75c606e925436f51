import type { Violation } from '../definition/errors.js';
import { TEXT_BOUNDS } from '../definition/option-bounds.js';
import { WEBHOOK_EVENTS } from '../definition/webhook.js';
import { textFaults } from './check-texts.js';

/** What is wrong with a webhook, as far as it can be told without the network. The URL is repeated nowhere: it may hold secrets. */
export function webhookFaults(pointer: string, value: unknown): readonly Violation[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return [{ pointer, detail: 'must be an object with a url and the name of a secret' }];
  }
  const { url, events, secretName } = value as Readonly<Record<string, unknown>>;
  return [
    ...urlFaults(`${pointer}/url`, url),
    ...(events === undefined ? [] : eventFaults(`${pointer}/events`, events)),
    ...textFaults(`${pointer}/secretName`, secretName, TEXT_BOUNDS.webhookSecretName),
  ];
}

/** Bounded in bytes too, as all that stands beside a payload. */
const PRINTABLE_ASCII = /^[\x21-\x7e]*$/;

function urlFaults(pointer: string, value: unknown): readonly Violation[] {
  const faults = textFaults(pointer, value, TEXT_BOUNDS.webhookUrl);
  if (faults.length > 0 || typeof value !== 'string') return faults;
  if (!PRINTABLE_ASCII.test(value))
    return [{ pointer, detail: 'must have printable ASCII characters only, others in their encoded form' }];
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) return [{ pointer, detail: 'must be an https: or http: URL' }];
  return url.username === '' && url.password === '' ? [] : [{ pointer, detail: 'must not hold a user or a password' }];
}

function eventFaults(pointer: string, value: unknown): readonly Violation[] {
  const known: readonly unknown[] = WEBHOOK_EVENTS;
  const fits = Array.isArray(value) && value.length > 0 && value.every((event) => known.includes(event));
  return fits && new Set(value).size === value.length
    ? []
    : [{ pointer, detail: `must be a list of at least one of ${WEBHOOK_EVENTS.join(', ')}, none of them twice` }];
}
