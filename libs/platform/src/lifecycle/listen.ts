import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { listenerUrl } from '../config/address-variables.js';
import { errorFields } from '../logging/error-fields.js';

/** A listener could not be opened. The message says why and which variables choose another address. */
export class ListenError extends Error {
  override readonly name = 'ListenError';
  readonly code = 'cannot_listen';
}

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another process listens there',
  EADDRNOTAVAIL: 'this machine has no such address',
  EACCES: 'this user may not open that port',
  ENOTFOUND: 'no address is known for that host name',
};

/** Where to listen, and the variables that say so. */
export interface ListenAddress {
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  readonly variables: string;
}

/**
 * Opens the listener of an HTTP server.
 * @returns its URL, with the port that was really opened.
 * @throws {ListenError} when the address is taken, foreign or forbidden.
 */
export async function listen(server: Server, { host, port, variables }: ListenAddress): Promise<string> {
  try {
    server.listen({ host, port });
    await once(server, 'listening');
  } catch (cause) {
    const { code, message } = errorFields(cause);
    const reason = REASONS[String(code)] ?? message;
    throw new ListenError(`Cannot listen on ${listenerUrl(host, port)}: ${reason}. Free it or set ${variables}.`, { cause });
  }
  // A server that listens on a host and port has an address of that kind.
  return listenerUrl(host, (server.address() as AddressInfo).port);
}
