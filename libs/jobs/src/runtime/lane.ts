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
  private inFlight = false;

  constructor(
    private readonly link: Link,
    private readonly index: number,
    private readonly logger: Logger,
  ) {}

  get busy(): boolean {
    return this.inFlight;
  }

  /** The answer, however long Redis is away; undefined when `giveUp` fires first. */
  async exchange(request: Request, giveUp: AbortSignal): Promise<Answer | undefined> {
    const sentAt = performance.now();
    const reply = await this.call((call) => exchange(this.link, { ...request, lane: this.index, call }), giveUp);
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

  private async call<T>(send: (call: number) => Promise<T>, giveUp: AbortSignal): Promise<T | undefined> {
    this.inFlight = true;
    this.calls += 1;
    const call = this.calls;
    try {
      for (let failures = 0; !giveUp.aborted; failures += 1) {
        try {
          return await send(call);
        } catch (error) {
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
