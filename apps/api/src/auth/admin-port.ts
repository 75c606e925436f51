import type { IncomingMessage, RequestListener, Server } from 'node:http';
import { createHardenedServer } from '../http/hardened-server.js';

const viaAdminPort = new WeakSet<IncomingMessage>();

/** A second listener of the same application, whose requests are known to have come by it. */
export function createAdminServer(listener: RequestListener): Server {
  return createHardenedServer((request, response) => {
    viaAdminPort.add(request);
    listener(request, response);
  });
}

export function cameByAdminPort(request: IncomingMessage): boolean {
  return viaAdminPort.has(request);
}
