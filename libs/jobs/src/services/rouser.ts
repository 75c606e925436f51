import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { isRedisAway } from '../store/availability.js';
import { Link } from '../store/link.js';
import { rouse } from '../store/rouse.js';
import { PRODUCER_OPTIONS, type ProducerOptions } from './producer-options.js';

/** A living worker has come by then. */
const FIRST_PAUSE_MS = 200;
/** Beyond this the slow poll of the idle workers finds what is left. */
const LAST_PAUSE_MS = 30_000;

interface Look {
  readonly timer: NodeJS.Timeout;
  /** In ms of the monotonic clock. */
  readonly dueAt: number;
}

/**
 * Sees to it that somebody comes when this process woke a worker. The worker may hear and be unable to answer: its event loop is
 * blocked, or its host is gone and Redis does not know yet. Then the next is woken, after ever longer pauses.
 */
@Injectable()
export class Rouser implements OnApplicationShutdown {
  /** By type, one at most. */
  private readonly looks = new Map<string, Look>();
  private closed = false;

  constructor(
    private readonly link: Link,
    @Inject(PRODUCER_OPTIONS) private readonly options: Pick<ProducerOptions, 'logger'>,
  ) {}

  /** A call of this process woke a worker of the type. */
  woke(type: string): void {
    this.lookWithin(type, FIRST_PAUSE_MS);
  }

  onApplicationShutdown(): void {
    this.closed = true;
    for (const { timer } of this.looks.values()) clearTimeout(timer);
    this.looks.clear();
  }

  private lookWithin(type: string, pauseMs: number): void {
    const pending = this.looks.get(type);
    const dueAt = performance.now() + pauseMs;
    if (this.closed || (pending !== undefined && pending.dueAt <= dueAt)) return;
    clearTimeout(pending?.timer);
    const timer = setTimeout(() => {
      this.looks.delete(type);
      void this.look(type, pauseMs);
    }, pauseMs).unref();
    this.looks.set(type, { timer, dueAt });
  }

  private async look(type: string, pauseMs: number): Promise<void> {
    // Without a connection there is nobody to ask. Workers that lost theirs look by themselves once it is back.
    if (this.link.redis.status !== 'ready') return;
    try {
      if ((await rouse(this.link, type)) && pauseMs * 2 <= LAST_PAUSE_MS) this.lookWithin(type, pauseMs * 2);
    } catch (error) {
      this.options.logger[isRedisAway(error) ? 'debug' : 'warn'](
        { job_type: type, err: error },
        'nobody could look whether a woken worker came',
      );
    }
  }
}
