import type { RedisConnection } from '@antrean/platform';
import { Heart, Heartbeat } from './runtime/heart.js';
import type { WorkerIdentity } from './store/exchange.js';
import { Link } from './store/link.js';
import type { WorkerAbout } from './store/presence.js';

export { Heart } from './runtime/heart.js';
export { Link } from './store/link.js';
export { WORKER_IDENTITY } from './runtime/worker-identity.js';

/** A heart that beats only when it is told to: time in tests moves by the clock offset, not by itself. */
export class ManualHeart extends Heart {
  private heartbeat: Heartbeat | undefined;
  private readonly held = new Set<string>();

  constructor(
    private readonly link: Link,
    private readonly worker: WorkerIdentity,
    private readonly leaseMs: number,
  ) {
    super();
  }

  start(about: WorkerAbout): Promise<void> {
    const { link, leaseMs } = this;
    const onPulse: Heart['onPulse'] = (type, pulse) => {
      this.onPulse(type, pulse);
    };
    this.heartbeat = new Heartbeat({ link, workerNumber: this.worker.number, leaseMs, about, onPulse });
    for (const type of this.held) this.heartbeat.hold(type);
    return Promise.resolve();
  }

  stop(): Promise<void> {
    return Promise.resolve();
  }

  hold(type: string): void {
    this.held.add(type);
    this.heartbeat?.hold(type);
  }

  release(type: string): void {
    this.held.delete(type);
    this.heartbeat?.release(type);
  }

  tellBeyondRedis(): void {
    // Nobody watches for a blocked event loop here.
  }

  async beat(): Promise<void> {
    await this.heartbeat?.tick();
  }
}

/** Moves Redis' clock as the scripts of one type see it, by `ms` from the real one. */
export async function setClockOffset(redis: RedisConnection, keyPrefix: string, type: string, ms: number): Promise<void> {
  await redis.set(new Link(redis, keyPrefix).keys(type).clock, ms);
}
