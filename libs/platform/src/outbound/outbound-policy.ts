import { isIP, type LookupFunction } from 'node:net';
import { isPublicAddress } from './is-public-address.js';
import { byDns, bySystem, type Resolver } from './resolvers.js';
import { urlFault } from './url-fault.js';

/** A host has no address that may be called. */
export class OutboundRefusedError extends Error {
  override readonly name = 'OutboundRefusedError';
  readonly code = 'address_refused';
}

/**
 * Which URLs that others named may be called (SSRF): https on addresses of the open Internet; http, and any address, on the hosts
 * that the operator allowed.
 */
export class OutboundPolicy {
  private readonly allowed: ReadonlySet<string>;

  private readonly resolver: Resolver;

  /**
   * @param allowedHosts names and addresses, without ports; a name does not stand for those below it.
   * @param resolver default: DNS, and the system for the hosts that the operator allowed.
   */
  constructor(allowedHosts: readonly string[], resolver?: Resolver) {
    this.allowed = new Set(allowedHosts.map(comparable));
    const dns = byDns();
    this.resolver =
      resolver ??
      ((hostname, callback) => {
        (this.isAllowed(hostname) ? bySystem : dns)(hostname, callback);
      });
  }

  /** What is wrong with a URL, as far as it can be told without the network; undefined when nothing is. */
  faultOf(text: string): string | undefined {
    const fault = urlFault(text);
    if (fault !== undefined) return fault;
    const url = new URL(text);
    const host = comparable(url.hostname);
    if (this.isAllowed(host)) return undefined;
    if (url.protocol === 'http:') return 'must be https; http is for the hosts in OUTBOUND_ALLOW only';
    if ((isIP(host) !== 0 && !isPublicAddress(host)) || isLocalName(host)) {
      return 'must not lead to a private, local or reserved address; OUTBOUND_ALLOW may allow its host';
    }
    return undefined;
  }

  /**
   * Resolves a host for a connection, which is made to nothing but the addresses this answers with: they are checked anew each
   * time, and nobody asks again in between. For the option `lookup` of sockets and requests. An address that stands in a URL is
   * never looked up: {@link faultOf} checks it.
   */
  readonly lookup: LookupFunction = (hostname, options, callback) => {
    this.resolver(hostname, (error, addresses) => {
      if (error !== null) {
        callback(error, '');
        return;
      }
      const family = familyOf(options.family);
      const usable = addresses.filter((one) => (family === 0 || one.family === family) && this.mayConnect(hostname, one.address));
      const [first] = usable;
      if (first === undefined) callback(new OutboundRefusedError('The host has no address that may be called.'), '');
      else if (options.all === true) callback(null, [...usable]);
      else callback(null, first.address, first.family);
    });
  };

  private mayConnect(hostname: string, address: string): boolean {
    return this.isAllowed(hostname) || isPublicAddress(address);
  }

  private isAllowed(host: string): boolean {
    return this.allowed.has(comparable(host));
  }
}

/** Hosts are compared as URLs write them, without brackets and the dot of a full name. */
function comparable(host: string): string {
  return host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');
}

/** Names that by their standard never are in the public DNS (RFC 6761). */
function isLocalName(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost');
}

function familyOf(family: number | 'IPv4' | 'IPv6' | undefined): number {
  if (family === 'IPv4') return 4;
  return family === 'IPv6' ? 6 : (family ?? 0);
}
