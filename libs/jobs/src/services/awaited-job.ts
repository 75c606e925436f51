import { leave, listenTo, type Logger, type RedisConnection } from '@antrean/platform';
import type { JobId } from '../definition/job-id.js';
import { Loop, type Ticking } from '../runtime/loop.js';
import type { Link } from '../store/link.js';
import { wait } from '../store/wait.js';

/** The net under what is heard: a Redis that lost its latest writes does not know any more that a job is awaited. */
const LOOK_EVERY_MS = 5_000;

/** Called once: true when the job may have ended, false when the wait is given up. */
export type Waiter = (mayHaveEnded: boolean) => void;

/** A job whose end somebody in this process waits for: heard of on its channel, and looked at now and then. */
export class AwaitedJob implements Ticking {
  readonly channel: string;
  private readonly waiters = new Set<Waiter>();
  private readonly loop: Loop;
  private listening = false;

  constructor(
    private readonly id: JobId,
    private readonly link: Link,
    private readonly ear: RedisConnection,
    logger: Logger,
  ) {
    this.channel = link.keys(id.type).ended(id.ulid);
    this.loop = new Loop('awaited job', this, logger);
  }

  add(waiter: Waiter): void {
    this.waiters.add(waiter);
    this.loop.start();
  }

  /** True when nobody waits any more: the job is not looked at again. */
  remove(waiter: Waiter): boolean {
    this.waiters.delete(waiter);
    if (this.waiters.size > 0) return false;
    void this.loop.stop();
    leave(this.ear, this.channel);
    return true;
  }

  end(mayHaveEnded: boolean): void {
    for (const waiter of this.waiters) waiter(mayHaveEnded);
  }

  /** The connection is a new one: it has no channel yet, and the end may have been missed. */
  onReconnect(): void {
    this.listening = false;
    this.loop.wakeWithin(0);
  }

  /** The server of the channel may be another, or have lost who listens. While it is being tried each failure is such a loss as well. */
  onServerChange(): void {
    if (this.listening) this.onReconnect();
  }

  async tick(): Promise<number> {
    // First, so that an end that the script does not see any more is heard of.
    if (!this.listening) {
      await listenTo(this.ear, this.channel);
      this.listening = true;
    }
    if (!(await wait(this.link, this.id.type, this.id.ulid))) this.end(true);
    return LOOK_EVERY_MS;
  }
}
