import { lookup, type LookupAddress } from 'node:dns';
import { Resolver as DnsResolver } from 'node:dns/promises';

/** Finds the addresses of a name, as `dns.lookup` with `all`. */
export type Resolver = (
  hostname: string,
  callback: (error: NodeJS.ErrnoException | null, addresses: readonly LookupAddress[]) => void,
) => void;

/** As the system finds names, also those in /etc/hosts. Each lookup holds one of the few threads that all of Node shares. */
export const bySystem: Resolver = (hostname, callback) => {
  lookup(hostname, { all: true }, callback);
};

const PATIENCE_MS = 5_000;

/**
 * By DNS alone, which holds no thread: whoever names a host may name one whose name server never answers.
 * @param servers default: those of the system.
 */
export function byDns(servers?: readonly string[], patienceMs = PATIENCE_MS): Resolver {
  return (hostname, callback) => {
    const dns = new DnsResolver();
    if (servers !== undefined) dns.setServers(servers);
    const patience = setTimeout(() => {
      dns.cancel();
    }, patienceMs);
    void Promise.allSettled([dns.resolve4(hostname), dns.resolve6(hostname)]).then(([v4, v6]) => {
      clearTimeout(patience);
      const addresses = [...addressesOf(v4, 4), ...addressesOf(v6, 6)];
      if (addresses.length > 0) callback(null, addresses);
      else callback(unresolved(v4.status === 'rejected' ? (v4.reason as NodeJS.ErrnoException).code : undefined), []);
    });
  };
}

function addressesOf(answer: PromiseSettledResult<readonly string[]>, family: 4 | 6): readonly LookupAddress[] {
  return answer.status === 'fulfilled' ? answer.value.map((address) => ({ address, family })) : [];
}

function unresolved(reason = 'ENOTFOUND'): NodeJS.ErrnoException {
  const code = reason === 'ECANCELLED' ? 'ETIMEOUT' : reason;
  return Object.assign(new Error(`The name could not be resolved: ${code}.`), { code });
}
