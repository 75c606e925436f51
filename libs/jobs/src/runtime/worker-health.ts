import { Injectable } from '@nestjs/common';
import { Link } from '../store/link.js';
import { WorkerRuntime } from './worker-runtime.js';

/** A claim loop that has not looked for this long is stuck: it looks at least every 30 s, also while Redis is away. */
const STUCK_AFTER_MS = 90_000;

/** How the worker of this process is doing. */
@Injectable()
export class WorkerHealth {
  constructor(
    private readonly runtime: WorkerRuntime,
    private readonly link: Link,
  ) {}

  /** False when the claim loop is stuck, which only a restart mends. An outage of Redis leaves it true. */
  live(): boolean {
    return (this.runtime.current?.roundAgeMs ?? 0) < STUCK_AFTER_MS;
  }

  /** True while the worker claims: it has started, does not drain, and Redis is there. */
  ready(): boolean {
    return this.runtime.current?.ready === true && this.link.redis.status === 'ready';
  }

  /** Age of the oldest claim loop's last round in ms, and how many jobs run here. */
  detail(): { readonly claimLoopAgeMs: number; readonly running: number } {
    const worker = this.runtime.current;
    return { claimLoopAgeMs: Math.round(worker?.roundAgeMs ?? 0), running: worker?.running ?? 0 };
  }
}
