import { isIP } from 'node:net';
import { Wrong, type Variable } from './variable.js';

/** As Express takes its `trust proxy` setting: no proxy, all of them, how many, or which addresses. */
export type TrustProxy = boolean | number | string;

const SWITCHES: Readonly<Record<string, boolean>> = { off: false, false: false, on: true, true: true };
const NAMED_RANGES = new Set(['loopback', 'linklocal', 'uniquelocal']);

export const trustProxy: Variable<TrustProxy> = {
  name: 'TRUST_PROXY',
  expected:
    'off, on, the number of proxies in front (1 to 32), or a comma list of addresses, ranges (10.0.0.0/8) and the names loopback, linklocal, uniquelocal',
  fallback: false,
  parse: (text) => {
    const switched = Object.hasOwn(SWITCHES, text) ? SWITCHES[text] : undefined;
    if (switched !== undefined) return switched;
    if (/^\d+$/.test(text)) return Number(text) >= 1 && Number(text) <= 32 ? Number(text) : new Wrong();
    const ranges = text.split(',').map((range) => range.trim());
    const stray = ranges.find((range) => !isRange(range));
    return stray === undefined ? ranges.join(',') : new Wrong(`"${stray}" is neither`);
  },
};

function isRange(text: string): boolean {
  if (NAMED_RANGES.has(text)) return true;
  const [address = '', bits, ...more] = text.split('/');
  const version = isIP(address);
  if (version === 0 || more.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) >= 1 && Number(bits) <= (version === 4 ? 32 : 128));
}
