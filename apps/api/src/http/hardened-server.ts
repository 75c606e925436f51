import { createServer, type RequestListener, type Server } from 'node:http';
import { answerBrokenRequest } from './broken-request.js';

/** A request is complete by then: nothing that is sent here is large. */
const REQUEST_TIMEOUT_MS = 30_000;
const HEADERS_TIMEOUT_MS = 10_000;
/** Node looks only so often whether one of these times is over, and by default every 30 s. */
const CHECK_EVERY_MS = 1_000;
/** Longer than the idle time of usual load balancers (60 s), so that they never send into a connection that just closed. */
const KEEP_ALIVE_MS = 65_000;
/** On a connection with a request in hand nothing was sent or received: its client reads no more. Longer than the longest `Prefer: wait` (60 s). */
const INACTIVITY_MS = 120_000;

/** A server that bounds how long it waits for its clients, and answers those it cannot understand as it answers all others. */
export function createHardenedServer(
  listener: RequestListener,
  { headersTimeoutMs = HEADERS_TIMEOUT_MS, inactivityMs = INACTIVITY_MS } = {},
): Server {
  const server = createServer(
    {
      requestTimeout: REQUEST_TIMEOUT_MS,
      headersTimeout: headersTimeoutMs,
      keepAliveTimeout: KEEP_ALIVE_MS,
      connectionsCheckingInterval: CHECK_EVERY_MS,
      // Node's own answer has no body: `demandHost` gives ours.
      requireHostHeader: false,
    },
    listener,
  );
  server.timeout = inactivityMs;
  // Node drops what comes after the first 1,000, and says nothing of it. Their 16 KiB bound them.
  server.maxHeadersCount = 0;
  server.on('clientError', answerBrokenRequest);
  return server;
}
