import { setTimeout as sleep } from 'node:timers/promises';
import { endsWithin, type Logger } from '@antrean/platform';
import { isRedisAway } from '../store/availability.js';

/** Work that is done again and again. */
export interface Ticking {
  /** Does it once and answers how many milliseconds may pass until the next time. */
  tick(): Promise<number>;
  /** No wake-up brings the next time about before this, in ms of the monotonic clock. */
  readonly notBefore?: number;
}

const FIRST_BACKOFF_MS = 100;
const MAX_BACKOFF_MS = 1_000;
/** Timers of Node end at once beyond this. */
const MAX_SLEEP_MS = 2_147_483_647;

/** Drives one ticking thing: sleeps as long as it says, wakes early when told to, backs off while it fails. */
export class Loop {
  private stopping: AbortController | undefined;
  private running: Promise<void> = Promise.resolve();
  private sleeping: AbortController | undefined;
  /** When the next tick is to come, by what is known so far. */
  private wakeAt = Infinity;

  constructor(
    private readonly name: string,
    private readonly work: Ticking,
    private readonly logger: Logger,
  ) {}

  start(): void {
    if (this.stopping !== undefined) return;
    const stopping = new AbortController();
    this.stopping = stopping;
    this.running = this.run(stopping.signal);
  }

  /** Resolves when the tick in hand is done. */
  async stop(): Promise<void> {
    this.stopping?.abort();
    this.sleeping?.abort();
    await this.running;
  }

  /** Stops, but ticks on before that while there is more to be done at once: for so long at most, the tick in hand included. */
  async finish(withinMs: number): Promise<void> {
    const until = performance.now() + withinMs;
    await endsWithin(
      this.stop().then(() => this.tickUntil(until)),
      withinMs,
    );
  }

  /** Lets the next tick come no later than `ms` from now. */
  wakeWithin(ms: number): void {
    const at = performance.now() + ms;
    if (at >= this.wakeAt) return;
    this.wakeAt = at;
    this.sleeping?.abort();
  }

  private async run(stopping: AbortSignal): Promise<void> {
    let failures = 0;
    while (!stopping.aborted) {
      let restMs: number;
      this.wakeAt = Infinity;
      try {
        restMs = await this.work.tick();
        failures = 0;
      } catch (error) {
        restMs = Math.min(FIRST_BACKOFF_MS * 2 ** failures, MAX_BACKOFF_MS);
        failures += 1;
        // An outage is told by the connection itself, and any trouble once: more would drown the log.
        if (failures === 1) {
          this.logger[isRedisAway(error) ? 'debug' : 'warn'](
            { loop: this.name, err: error },
            'background work failed, it will be tried again',
          );
        }
      }
      await this.rest(performance.now() + restMs, stopping);
    }
  }

  private async tickUntil(until: number): Promise<void> {
    try {
      while (performance.now() < until && (await this.work.tick()) === 0);
    } catch (error) {
      this.logger[isRedisAway(error) ? 'debug' : 'warn'](
        { loop: this.name, err: error },
        'background work failed at the end, it is left to others',
      );
    }
  }

  /** Sleeps until `until` or the earlier time that `wakeWithin` asks for, be it before or during the sleep. */
  private async rest(until: number, stopping: AbortSignal): Promise<void> {
    this.wakeAt = Math.min(this.wakeAt, until);
    for (;;) {
      const ms = Math.max(this.wakeAt, this.work.notBefore ?? 0) - performance.now();
      if (ms <= 0 || stopping.aborted) return;
      this.sleeping = new AbortController();
      await sleep(Math.min(ms, MAX_SLEEP_MS), undefined, { signal: this.sleeping.signal }).catch(() => undefined);
      this.sleeping = undefined;
    }
  }
}
