import { isIP } from 'node:net';
import { wholeNumber } from './number-variables.js';
import { Wrong, type Variable } from './variable.js';

/** With a last label of digits alone it would be an IPv4 address that is none. */
const HOST_NAME = /^(?=.{1,253}$)(?!.*(?:^|\.)\d+$)[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?)*$/i;

export function isHostName(text: string): boolean {
  return HOST_NAME.test(text);
}

/** An address to listen on. */
export function host(name: string): Variable<string> {
  return {
    name,
    expected: 'a host name or an IP address without port, such as 127.0.0.1, 0.0.0.0 or ::1',
    fallback: '127.0.0.1',
    parse: (text) => (isIP(text) !== 0 || isHostName(text) ? text : new Wrong()),
  };
}

/** A TCP port to listen on; 0 lets the system choose a free one. */
export function port<T = never>(name: string, fallback: number | T) {
  return wholeNumber<T>(name, { min: 0, max: 65_535, fallback });
}

/** Whether only processes of this machine reach a listener on the host. Names other than `localhost` count as reachable. */
export function isLoopback(hostName: string): boolean {
  return hostName.toLowerCase() === 'localhost' || hostName === '::1' || (isIP(hostName) === 4 && hostName.startsWith('127.'));
}

/** The URL of a listener, with the brackets that an IPv6 address needs. */
export function listenerUrl(hostName: string, portNumber: number): string {
  return `http://${isIP(hostName) === 6 ? `[${hostName}]` : hostName}:${portNumber}`;
}

/** The address under which clients reach the api; undefined means its own listener. Held without a slash at its end. */
export const publicUrl: Variable<string | undefined> = {
  name: 'PUBLIC_URL',
  expected: 'an http:// or https:// URL without user, query and fragment, such as https://jobs.example.com',
  fallback: undefined,
  parse: (text) => {
    if (!URL.canParse(text)) return new Wrong();
    const url = new URL(text);
    const plain = url.username === '' && url.password === '' && url.search === '' && url.hash === '';
    return plain && /^https?:$/.test(url.protocol) ? url.href.replace(/\/+$/, '') : new Wrong();
  },
};
