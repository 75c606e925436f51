import { parentPort, workerData } from 'node:worker_threads';
import { closeRedis, connectRedis, createLogger } from '@antrean/platform';
import { Link } from '../store/link.js';
import { Heartbeat } from './heart.js';
import { Loop } from './loop.js';

/** What the thread is started with. */
export interface HeartSetup {
  readonly redisUrl: string;
  readonly keyPrefix: string;
  readonly leaseMs: number;
  readonly workerNumber: bigint;
}

export type HeartOrder = { readonly hold: string } | { readonly release: string } | { readonly stop: true };

export interface HeartMessage {
  /** The type whose lease is gone. */
  readonly lost: string;
}

if (parentPort !== null) {
  const port = parentPort;
  // The thread is started by HeartThread alone, with this.
  const setup = workerData as HeartSetup;
  // The process' other connections tell of an outage; saying it twice helps nobody.
  const logger = createLogger({ app: 'worker', level: 'silent', format: 'json' });
  const redis = connectRedis(setup.redisUrl, { name: 'antrean-heartbeat', logger, commandTimeoutMs: setup.leaseMs / 6 });
  const heartbeat = new Heartbeat(new Link(redis, setup.keyPrefix), setup.workerNumber, setup.leaseMs, (type) => {
    port.postMessage({ lost: type } satisfies HeartMessage);
  });
  const loop = new Loop('heartbeat', heartbeat, logger);
  loop.start();
  port.on('message', (order: HeartOrder) => {
    if ('hold' in order) heartbeat.hold(order.hold);
    else if ('release' in order) heartbeat.release(order.release);
    else {
      void loop.stop().then(() => {
        closeRedis(redis);
        port.close();
      });
    }
  });
}
