import { setTimeout as sleep } from 'node:timers/promises';
import { waitUntilReady, type Logger } from '@antrean/platform';
import { MAX_JOBS_PER_CALL } from '../store/bounds.js';
import { exchange, type ExchangeCall, type ExchangeReply } from '../store/exchange.js';
import { isRedisAway } from '../store/availability.js';
import type { Link } from '../store/link.js';
import { reconcile, type Held } from '../store/reconcile.js';

const MAX_BACKOFF_MS = 2_000;

/** What a call asks for, without what the lane adds. */
export type Request = Omit<ExchangeCall, 'lane' | 'call'>;

export interface Answer {
  readonly reply: ExchangeReply;
  /** When the call was first sent; the lease on what it claimed may count from then. In ms of the monotonic clock. */
  readonly sentAt: number;
}

/**
 * A line of calls to Redis, one at a time, numbered. A call whose answer was lost is sent again under its number, which
 * has no second effect.
 */
export class Lane {
  private calls = 0;
  private claims = 0;
  private inFlight = false;
  private triedAt = performance.now();

  constructor(
    private readonly link: Link,
    private readonly index: number,
    private readonly logger: Logger,
    /** Told once of each call whose first try was not answered: the Redis that answers at last may know less than the one before. */
    private readonly onFailed: () => void,
  ) {}

  get busy(): boolean {
    return this.inFlight;
  }

  /** When a call was last sent, or sent again, in ms of the monotonic clock. */
  get lastTriedAt(): number {
    return this.triedAt;
  }

  /**
   * The answer, however long Redis is away; undefined when `giveUp` fires first.
   * @param onAway told once, when the first try was not answered.
   */
  async exchange(request: Request, giveUp: AbortSignal, onAway: () => void): Promise<Answer | undefined> {
    const sentAt = performance.now();
    // The script looks at the lowest priorities first where the number ends in 0: with each tenth claim, and with no other call.
    const isClaim = typeof request.want === 'number' && request.want > 0;
    if (isClaim) this.claims += 1;
    const upwards = isClaim && this.claims % 10 === 0;
    const next = this.calls + 1;
    if (upwards) this.calls = Math.ceil(next / 10) * 10 - 1;
    else if (next % 10 === 0) this.calls = next;
    const reply = await this.call((call) => exchange(this.link, { ...request, lane: this.index, call }), giveUp, onAway);
    return reply === undefined ? undefined : { reply, sentAt };
  }

  /** All jobs that stand under the worker; whatever of this lane is still on its way to Redis counts no more. */
  async reconcile(type: string, workerNumber: bigint, leaseMs: number, giveUp: AbortSignal): Promise<Held[] | undefined> {
    const held: Held[] = [];
    for (let after = ''; ;) {
      const last = after;
      const page = await this.call(
        (call) =>
          reconcile(this.link, {
            type,
            workerNumber,
            lane: this.index,
            call,
            leaseMs,
            after: last,
            limit: MAX_JOBS_PER_CALL,
          }),
        giveUp,
      );
      if (page === undefined) return undefined;
      held.push(...page.held);
      if (page.next === undefined) return held;
      after = page.next;
    }
  }

  private async call<T>(
    send: (call: number) => Promise<T>,
    giveUp: AbortSignal,
    onAway: () => void = () => undefined,
  ): Promise<T | undefined> {
    this.inFlight = true;
    this.calls += 1;
    const call = this.calls;
    try {
      for (let failures = 0; !giveUp.aborted; failures += 1) {
        this.triedAt = performance.now();
        try {
          return await send(call);
        } catch (error) {
          if (failures === 0) {
            onAway();
            this.onFailed();
          }
          this.noteFailure(error, failures);
          await this.rest(failures, giveUp);
        }
      }
      return undefined;
    } finally {
      this.inFlight = false;
    }
  }

  private noteFailure(error: unknown, failures: number): void {
    if (failures > 0) return;
    this.logger[isRedisAway(error) ? 'debug' : 'warn']({ err: error }, 'a call to redis was not answered, it will be sent again');
  }

  private async rest(failures: number, giveUp: AbortSignal): Promise<void> {
    const ms = Math.min(50 * 2 ** failures, MAX_BACKOFF_MS);
    await sleep(ms, undefined, { signal: giveUp }).catch(() => undefined);
    if (!giveUp.aborted) await waitUntilReady(this.link.redis, MAX_BACKOFF_MS);
  }
}
