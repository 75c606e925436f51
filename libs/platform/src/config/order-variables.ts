import { urlFault } from '../outbound/url-fault.js';
import { Wrong, type Variable } from './variable.js';

/** Who is told of new orders; undefined: a file of the worker is. */
export const analyticsUrl: Variable<string | undefined> = {
  name: 'ANALYTICS_URL',
  expected: 'an https:// URL, or http:// for a host in OUTBOUND_ALLOW, of at most 2048 characters of ASCII',
  fallback: undefined,
  secret: true,
  parse: (text) => {
    const fault = /^[!-~]{1,2048}$/.test(text) ? urlFault(text) : 'is too long, or not of ASCII';
    return fault === undefined ? text : new Wrong(`it ${fault}`);
  },
};

/** Where events are appended to when nobody is told of them. */
export const analyticsFile: Variable<string> = {
  name: 'ANALYTICS_FILE',
  expected: 'the path of a file',
  fallback: '.data/analytics.jsonl',
  parse: (text) => text,
};

const CURRENCIES: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));

/** Of orders that name none. */
export const orderCurrency: Variable<string> = {
  name: 'ORDER_CURRENCY',
  expected: 'the code of a currency (ISO 4217), such as EUR',
  fallback: 'EUR',
  parse: (text) => (CURRENCIES.has(text) ? text : new Wrong()),
};
