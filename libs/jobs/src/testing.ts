import { Heartbeat, Heart } from './runtime/heart.js';
import { Link } from './store/link.js';
import type { WorkerIdentity } from './store/exchange.js';
import type { RedisConnection } from '@antrean/platform';

export { Heart } from './runtime/heart.js';
export { Link } from './store/link.js';
export { WORKER_IDENTITY } from './runtime/worker-identity.js';

/** A heart that beats only when it is told to: time in tests moves by the clock offset, not by itself. */
export class ManualHeart extends Heart {
  private readonly heartbeat: Heartbeat;

  constructor(link: Link, worker: WorkerIdentity, leaseMs: number) {
    super();
    this.heartbeat = new Heartbeat(link, worker.number, leaseMs, (type) => {
      this.onLost(type);
    });
  }

  start(): void {
    // Nothing beats by itself.
  }

  stop(): Promise<void> {
    return Promise.resolve();
  }

  hold(type: string): void {
    this.heartbeat.hold(type);
  }

  release(type: string): void {
    this.heartbeat.release(type);
  }

  async beat(): Promise<void> {
    await this.heartbeat.tick();
  }
}

/** Moves Redis' clock as the scripts of one type see it, by `ms` from the real one. */
export async function setClockOffset(redis: RedisConnection, keyPrefix: string, type: string, ms: number): Promise<void> {
  await redis.set(new Link(redis, keyPrefix).keys(type).clock, ms);
}
