import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { endsWithin } from '@antrean/platform';
import { isRedisAway } from '../store/availability.js';
import { Link } from '../store/link.js';
import { rouse } from '../store/rouse.js';
import { PRODUCER_OPTIONS, type ProducerOptions } from './producer-options.js';

/** A living worker has come by then. */
const FIRST_PAUSE_MS = 200;
/** Beyond this the slow poll of the idle workers finds what is left. */
const LAST_PAUSE_MS = 30_000;
/** A shutdown is held up no longer by a Redis that does not answer. */
const LAST_LOOKS_MS = 500;

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
export class Rouser implements OnModuleInit {
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

  onModuleInit(): void {
    this.link.beforeClose(() => this.close());
  }

  /** Looks at once where it was about to: nobody else would. Never rejects. */
  async close(): Promise<void> {
    this.closed = true;
    const types = [...this.looks.keys()];
    for (const { timer } of this.looks.values()) clearTimeout(timer);
    this.looks.clear();
    await endsWithin(Promise.all(types.map((type) => this.rouse(type))), LAST_LOOKS_MS);
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
    if ((await this.rouse(type)) && pauseMs * 2 <= LAST_PAUSE_MS) this.lookWithin(type, pauseMs * 2);
  }

  /** Whether one more was woken. */
  private async rouse(type: string): Promise<boolean> {
    // Without a connection there is nobody to ask. Workers that lost theirs look by themselves once it is back.
    if (this.link.redis.status !== 'ready') return false;
    try {
      return await rouse(this.link, type);
    } catch (error) {
      this.options.logger[isRedisAway(error) ? 'debug' : 'warn'](
        { job_type: type, err: error },
        'nobody could look whether a woken worker came',
      );
      return false;
    }
  }
}
