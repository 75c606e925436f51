import { createServer, type RequestListener, type Server } from 'node:http';
import { boundArrivals, type ArrivalLimits } from './body-arrival.js';
import { answerBrokenRequest } from './broken-request.js';

const HEADERS_MS = 10_000;
/** All that is sent here is small, but for uploads: a slow line may take hours for one, but a client that holds on to a connection does not keep this up. */
const ARRIVAL: ArrivalLimits = { bodyMs: 30_000, upload: { bytes: 262_144, everyMs: 30_000 } };
/** Node looks only so often whether the time for a header is over, and by default every 30 s. */
const CHECK_EVERY_MS = 1_000;
/** Longer than the idle time of usual load balancers (60 s), so that they never send into a connection that just closed. */
const KEEP_ALIVE_MS = 65_000;
/** On a connection with a request in hand nothing was sent or received: its client reads no more. Longer than the longest `Prefer: wait` (60 s). */
const INACTIVITY_MS = 120_000;

/** How long the server waits for its clients. */
export interface ClientLimits {
  readonly headersMs: number;
  /** While nothing is sent or received. */
  readonly inactivityMs: number;
  readonly arrival: ArrivalLimits;
}

/** A server that bounds how long it waits for its clients, and answers those it cannot understand as it answers all others. */
export function createHardenedServer(
  listener: RequestListener,
  { headersMs = HEADERS_MS, inactivityMs = INACTIVITY_MS, arrival = ARRIVAL }: Partial<ClientLimits> = {},
): Server {
  const server = createServer(
    {
      // One for all requests: boundArrivals has another for uploads.
      requestTimeout: 0,
      headersTimeout: headersMs,
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
  // Node's own answer to an expectation that it does not know has no body. The standard lets it be passed over.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  boundArrivals(server, arrival);
  return server;
}
