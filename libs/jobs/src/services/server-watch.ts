import { onServerChange, type Logger } from '@antrean/platform';
import { UnfitRedisError } from '../definition/errors.js';
import { Loop, type Ticking } from '../runtime/loop.js';
import type { Link } from '../store/link.js';
import { serverFacts } from '../store/server-facts.js';
import { serverFaults } from './server-faults.js';

/** A Cluster in trouble tells of many changes. */
const PAUSE_MS = 1_000;

/**
 * Looks at the servers again when one may be another than was found fit: it came later, took over or was restarted. Jobs may be there
 * already, so work goes on, and the log says what to do.
 */
export class ServerWatch implements Ticking {
  private readonly loop: Loop;

  constructor(
    private readonly link: Link,
    private readonly logger: Logger,
  ) {
    this.loop = new Loop('server watch', this, logger);
  }

  start(): void {
    const forget = onServerChange(this.link.redis, () => {
      this.loop.start();
      this.loop.wakeWithin(PAUSE_MS);
    });
    this.link.beforeClose(() => {
      forget();
      void this.loop.stop();
      return Promise.resolve();
    });
  }

  async tick(): Promise<number> {
    const faults = serverFaults(await serverFacts(this.link));
    if (faults.length > 0) {
      this.logger.error({ reason: new UnfitRedisError(faults).message }, 'a redis server that was not there before is not fit');
    }
    return Infinity;
  }
}
