import { listenTo, type Logger, type RedisConnection } from '@antrean/platform';
import { Loop, type Ticking } from './loop.js';

/** Where a worker is told of one type: subscribed to until it is heard, and anew whenever it may not be heard any more. */
export class WakeUpChannel implements Ticking {
  private readonly loop: Loop;
  private isHeard = false;

  constructor(
    readonly type: string,
    private readonly name: string,
    private readonly redis: RedisConnection,
    logger: Logger,
    private readonly onHeard: () => void,
  ) {
    this.loop = new Loop('wake-up', this, logger.child({ job_type: type }));
  }

  hearAnew(): void {
    this.loop.start();
    // It is being tried already, ever more slowly: each failure is the loss of a server as well.
    if (!this.isHeard) return;
    this.isHeard = false;
    this.loop.wakeWithin(0);
  }

  stop(): void {
    void this.loop.stop();
  }

  async tick(): Promise<number> {
    await listenTo(this.redis, this.name);
    this.isHeard = true;
    this.onHeard();
    return Infinity;
  }
}
