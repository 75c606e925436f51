import { Snooze } from '@antrean/jobs';

/** So long a call waits for a place; a host that let nobody in for so long is stuck, and nobody waits for it any more. */
const PATIENCE_MS = 1_000;
/** A call that hangs holds its place for about this long. */
const HELD_MS = 20_000;
/** Who is put off comes back within these bounds: one that waits long is not to miss a host that has recovered by hours. */
const PUT_OFF_MS = { min: 5_000, max: 300_000 };

interface Host {
  taken: number;
  /** When it last let somebody in, in ms of the monotonic clock. */
  movedAt: number;
  /** When the latest of those that were put off comes back. */
  fullUntil: number;
  /** In the order in which they came; each lets one in. */
  readonly waiting: Set<() => void>;
}

/** How many calls of one type to one host may be under way in this process: receivers that hang leave room for all others. */
export class HostPlaces {
  private readonly hosts = new Map<string, Host>();

  constructor(private readonly placesAHost: number) {}

  /**
   * Does the work in one of the host's places.
   * @param signal ends the wait for a place.
   * @throws {Snooze} when none was to be had; those put off come back spread over the time in which there may be places.
   */
  async within<T>(hostname: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const host = this.hosts.get(hostname) ?? { taken: 0, movedAt: performance.now(), fullUntil: 0, waiting: new Set() };
    this.hosts.set(hostname, host);
    if (host.taken < this.placesAHost) host.taken += 1;
    else if (isStuck(host) || !(await letIn(host, signal))) throw this.putOff(host);
    host.movedAt = performance.now();
    try {
      return await work();
    } finally {
      this.leave(hostname, host);
    }
  }

  private leave(hostname: string, host: Host): void {
    const [next] = host.waiting;
    if (next !== undefined) next();
    else host.taken -= 1;
    if (host.taken === 0) this.hosts.delete(hostname);
  }

  private putOff(host: Host): Snooze {
    const now = performance.now();
    host.fullUntil = Math.max(host.fullUntil, now) + HELD_MS / this.placesAHost;
    const latestMs = Math.min(Math.max(host.fullUntil - now, 2 * PUT_OFF_MS.min), PUT_OFF_MS.max);
    const delayMs = Math.round(PUT_OFF_MS.min + Math.random() * (latestMs - PUT_OFF_MS.min));
    return new Snooze(`${delayMs}ms`, 'As many calls as may be are under way to this host.');
  }
}

function isStuck({ movedAt }: Host): boolean {
  return performance.now() - movedAt >= PATIENCE_MS;
}

/** Resolves true with a place, or false when none came free in time. */
function letIn({ waiting }: Host, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (isIn: boolean): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', giveUp);
      waiting.delete(enter);
      resolve(isIn);
    };
    const enter = (): void => {
      end(true);
    };
    const giveUp = (): void => {
      end(false);
    };
    const timer = setTimeout(giveUp, PATIENCE_MS);
    signal.addEventListener('abort', giveUp);
    waiting.add(enter);
  });
}
