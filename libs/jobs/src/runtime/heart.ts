import type { Link } from '../store/link.js';
import { heartbeat } from '../store/heartbeat.js';
import type { Ticking } from './loop.js';

/** Beats a lease, so that six beats may be missed before it is lost. */
const BEATS_PER_LEASE = 6;

/** What the runtime asks of a heart, wherever it beats. */
export abstract class Heart {
  /** Told of every type whose lease is gone. */
  onLost: (type: string) => void = () => undefined;
  abstract start(): void;
  abstract stop(): Promise<void>;
  /** From now on the lease on this type is kept alive. */
  abstract hold(type: string): void;
  abstract release(type: string): void;
}

/** Keeps a worker's leases alive: one command a type and beat, whatever the number of jobs. */
export class Heartbeat implements Ticking {
  private readonly held = new Set<string>();

  constructor(
    private readonly link: Link,
    private readonly workerNumber: bigint,
    private readonly leaseMs: number,
    private readonly onLost: (type: string) => void,
  ) {}

  hold(type: string): void {
    this.held.add(type);
  }

  release(type: string): void {
    this.held.delete(type);
  }

  async tick(): Promise<number> {
    const started = performance.now();
    await Promise.all([...this.held].map((type) => this.beat(type)));
    return Math.max(this.leaseMs / BEATS_PER_LEASE - (performance.now() - started), 0);
  }

  private async beat(type: string): Promise<void> {
    const jobs = await heartbeat(this.link, type, this.workerNumber, this.leaseMs);
    if (jobs === undefined && this.held.has(type)) this.onLost(type);
  }
}
