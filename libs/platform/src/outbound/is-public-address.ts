import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Azure's own services for the machine that asks, which answer on this one although its range is public. */
const AZURE_PLATFORM = '168.63.129.16';
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3');

/**
 * Whether an address is of the open Internet. Not so: private and shared networks, this machine, link-local (and with it the
 * metadata services of clouds, also the one that is elsewhere), multicast, documentation and benchmarking, and IPv6 addresses that lead to an IPv4 one (mapped,
 * NAT64, 6to4, Teredo).
 */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.parse(address);
  return (
    parsed.toString() !== AZURE_PLATFORM &&
    parsed.range() === 'unicast' &&
    (parsed.kind() === 'ipv4' || parsed.match(GLOBAL_UNICAST))
  );
}
