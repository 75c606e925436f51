import type { Server } from 'node:http';
import { answerBrokenRequest } from './broken-request.js';

/** A request is complete by then: nothing that is sent here is large. */
const REQUEST_TIMEOUT_MS = 30_000;
const HEADERS_TIMEOUT_MS = 10_000;
/** Longer than the idle time of usual load balancers (60 s), so that they never send into a connection that just closed. */
const KEEP_ALIVE_MS = 65_000;

/** Sets how long a server waits for its clients, and what it answers to those it cannot understand. */
export function hardenServer(server: Server): Server {
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  server.headersTimeout = HEADERS_TIMEOUT_MS;
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.on('clientError', answerBrokenRequest);
  return server;
}
