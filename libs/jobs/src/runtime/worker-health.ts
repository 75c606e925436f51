import { Injectable } from '@nestjs/common';
import { Link } from '../store/link.js';
import { WorkerRuntime } from './worker-runtime.js';

/**
 * A claim loop that has not looked for this long is stuck: it looks at least every 30 s, also while Redis is away. So is a
 * worker whose slots have all been held by zombies for this long, or whose suspects have waited for one.
 */
const STUCK_AFTER_MS = 90_000;

/** How the worker of this process is doing. */
@Injectable()
export class WorkerHealth {
  constructor(
    private readonly runtime: WorkerRuntime,
    private readonly link: Link,
  ) {}

  /**
   * False when the worker can run nothing any more, or no suspects, which only a restart mends: its claim loop stands still, or
   * handlers that go on past their hard limit hold all of its slots, or the permit for suspects. An outage of Redis leaves it true.
   * @param stuckAfterMs for how long either must have lasted
   */
  live(stuckAfterMs = STUCK_AFTER_MS): boolean {
    const worker = this.runtime.current;
    return worker === undefined || Math.max(worker.roundAgeMs, worker.clogMs) < stuckAfterMs;
  }

  /** True while the worker claims: it has started, does not drain, and Redis is there and fit. */
  ready(): boolean {
    return this.runtime.current?.ready === true && this.link.redis.status === 'ready' && this.link.gate.isOpen;
  }

  /** Why it was never let to work on Redis; undefined when it was. */
  get heldBy(): string | undefined {
    return this.link.gate.reason;
  }

  /**
   * Age of the oldest claim loop's last round in ms, how many handlers run here, and how many of them go on past their hard
   * limit though their runs are settled.
   */
  detail(): { readonly claimLoopAgeMs: number; readonly running: number; readonly zombies: number } {
    const worker = this.runtime.current;
    return {
      claimLoopAgeMs: Math.round(worker?.roundAgeMs ?? 0),
      running: worker?.running ?? 0,
      zombies: worker?.zombies ?? 0,
    };
  }
}
