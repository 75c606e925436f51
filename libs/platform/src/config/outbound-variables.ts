import { isIP } from 'node:net';
import { isHostName } from './address-variables.js';
import { Wrong, type Variable } from './variable.js';

/** Hosts that may be called over http, and at any address, when a client names them. */
export const outboundAllow: Variable<readonly string[]> = {
  name: 'OUTBOUND_ALLOW',
  expected: 'a comma list of host names and IP addresses, without scheme and port, such as hooks.internal,10.0.0.7,::1',
  fallback: [],
  parse: (text) => {
    const hosts = text.split(',').map((host) => host.trim());
    const stray = hosts.find((host) => isIP(host) === 0 && !isHostName(host));
    return stray === undefined ? hosts : new Wrong(`"${stray.slice(0, 80)}" is neither`);
  },
};
