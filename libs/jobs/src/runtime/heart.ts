import { heartbeat, type Pulse } from '../store/heartbeat.js';
import type { Link } from '../store/link.js';
import { announce, type WorkerAbout } from '../store/presence.js';
import type { StoredJob } from '../store/reply.js';
import type { Ticking } from './loop.js';

/** Beats a lease, so that six beats may be missed before it is lost. */
export const BEATS_PER_LEASE = 6;

/** What the runtime asks of a heart, wherever it beats. */
export abstract class Heart {
  /** Told of every beat on a type that is held. */
  onPulse: (type: string, pulse: Pulse) => void = () => undefined;
  /** Told of runs that were taken from this process because its event loop was blocked, in their new state. */
  onTaken: (type: string, jobs: readonly StoredJob[]) => void = () => undefined;
  /** Told when runs were settled as timed out in the place of this process: their jobs may wait for a retry. */
  onTimedOut: (type: string) => void = () => undefined;
  /** Asked how many handlers go on though no beat counts their runs any more. */
  beyondRedis: () => number = () => 0;
  /** Resolves once it can beat whatever the event loop does; never rejects. */
  abstract start(about: WorkerAbout): Promise<void>;
  abstract stop(): Promise<void>;
  /** From now on the lease on this type is kept alive. */
  abstract hold(type: string): void;
  abstract release(type: string): void;
  /** What {@link beyondRedis} answers has changed: the heart is to know before the event loop may block again. */
  abstract tellBeyondRedis(): void;
}

/** Lets all come to their end before the first failure is told: in a Cluster some types may be out of reach while others are not. */
export async function allOf(works: readonly Promise<unknown>[]): Promise<void> {
  await Promise.allSettled(works);
  await Promise.all(works);
}

export interface HeartbeatOptions {
  readonly link: Link;
  readonly workerNumber: bigint;
  readonly leaseMs: number;
  readonly about: WorkerAbout;
  readonly onPulse: (type: string, pulse: Pulse) => void;
}

/** Keeps a worker's leases alive: one command a type and beat, whatever the number of jobs, and one to say that it is there. */
export class Heartbeat implements Ticking {
  /** By type that is held, how many jobs the latest beat found. */
  private readonly types = new Map<string, number>();

  constructor(private readonly options: HeartbeatOptions) {}

  get held(): readonly string[] {
    return [...this.types.keys()];
  }

  /** How many jobs the worker holds, by the latest beats. */
  get jobs(): number {
    return [...this.types.values()].reduce((sum, jobs) => sum + jobs, 0);
  }

  hold(type: string): void {
    this.types.set(type, this.types.get(type) ?? 0);
  }

  release(type: string): void {
    this.types.delete(type);
  }

  async tick(): Promise<number> {
    const { leaseMs } = this.options;
    const started = performance.now();
    await allOf([this.announce(leaseMs), ...this.held.map((type) => this.beat(type))]);
    return Math.max(leaseMs / BEATS_PER_LEASE - (performance.now() - started), 0);
  }

  /** The worker is there no more. */
  leave(): Promise<void> {
    return this.announce(0);
  }

  private announce(forMs: number): Promise<void> {
    const { link, workerNumber, about } = this.options;
    return announce(link, workerNumber, about, forMs);
  }

  private async beat(type: string): Promise<void> {
    const { link, workerNumber, leaseMs, onPulse } = this.options;
    const pulse = await heartbeat(link, type, workerNumber, leaseMs);
    if (!this.types.has(type)) return;
    this.types.set(type, pulse.held ?? 0);
    onPulse(type, pulse);
  }
}
