import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3');

/**
 * Whether an address is of the open Internet. Not so: private and shared networks, this machine, link-local (and with it the
 * metadata services of clouds), multicast, documentation and benchmarking, and IPv6 addresses that lead to an IPv4 one (mapped,
 * NAT64, 6to4, Teredo).
 */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.parse(address);
  return parsed.range() === 'unicast' && (parsed.kind() === 'ipv4' || parsed.match(GLOBAL_UNICAST));
}
