import { Inject, Injectable } from '@nestjs/common';
import { decodeTime } from 'ulid';
import { formatJobId } from '../definition/job-id.js';
import type { Ticking } from '../runtime/loop.js';
import { PRODUCER_OPTIONS, type ProducerOptions } from '../services/producer-options.js';
import { census } from '../store/census.js';
import { Link } from '../store/link.js';
import { takeSweepTurn } from '../store/take-turn.js';
import { BelongingsMetrics } from './belongings-metrics.js';
import { JobBelongings } from './job-belongings.js';
import { KnownOrigins } from './known-origins.js';
import { byType } from './owners-by-type.js';

const MINUTE_MS = 60_000;
/** Of all processes together. */
const ROUND_MS = 5 * MINUTE_MS;
/** What a submit stores is there before its job is. By the time in the job's id. */
const YOUNG_MS = 30 * MINUTE_MS;
/** A submit may have begun long ago and store only now, as a slow upload does; its job is there before this is over. */
const SECOND_LOOK_MS = 10 * MINUTE_MS;
/** Jobs of one round: what is beyond them is found in the next. */
const MOST_MISSING = 50_000;
const REMOVALS_AT_ONCE = 8;
/** Of one round: where so many fail, most others do as well. They are left to the next. */
const MOST_FAILURES = 100;

/** Jobs that were not there at the first look. */
interface Missing {
  readonly type: string;
  readonly ulids: readonly string[];
  readonly origin: string;
  /** By Redis' clock, in ms. */
  readonly seenAt: number;
}

/**
 * Removes what jobs have stored outside Redis once they are gone, or never came into being. Only an answer of Redis lets it: one that is
 * given twice, ten minutes apart, by the Redis that the belongings are known to go with. Several may sweep at the same moment.
 */
@Injectable()
export class BelongingsSweeper implements Ticking {
  private readonly missing: Missing[] = [];
  private removed = 0;
  private failed = 0;
  private isOver = false;
  private readonly origins: KnownOrigins;

  constructor(
    private readonly belongings: JobBelongings,
    private readonly link: Link,
    private readonly metrics: BelongingsMetrics,
    @Inject(PRODUCER_OPTIONS) private readonly options: Pick<ProducerOptions, 'logger'>,
  ) {
    this.origins = new KnownOrigins(belongings, options.logger);
  }

  /** @throws when Redis or what holds the belongings is away: nothing of what was not looked at twice is removed. */
  async tick(): Promise<number> {
    if (this.missing.length > 0) return this.lookAgain();
    const waitMs = await takeSweepTurn(this.link, ROUND_MS);
    if (waitMs > 0) return waitMs;
    await this.look();
    return this.missing.length > 0 ? SECOND_LOOK_MS : ROUND_MS;
  }

  /** Lets the tick in hand end soon; what it has not come to is left to other processes. */
  giveUp(): void {
    this.isOver = true;
  }

  private async look(): Promise<void> {
    this.origins.forget();
    let count = 0;
    for await (const { type, ulids } of byType(this.belongings.owners())) {
      if (this.isOver || count >= MOST_MISSING) return;
      const { now, origin, absent } = await census(this.link, type, ulids);
      const old = absent.filter((ulid) => now - decodeTime(ulid) >= YOUNG_MS);
      // Also where none is absent: that the belongings go with this Redis is to be known before it is lost.
      if (!(await this.origins.allow(type, origin, now)) || old.length === 0) continue;
      this.missing.push({ type, ulids: old, origin, seenAt: now });
      count += old.length;
    }
  }

  private async lookAgain(): Promise<number> {
    this.origins.forget();
    for (let next = this.missing[0]; next !== undefined && !this.isOver && this.failed < MOST_FAILURES; next = this.missing[0]) {
      const { type, ulids, origin, seenAt } = next;
      const now = await census(this.link, type, ulids);
      const waitMs = seenAt + SECOND_LOOK_MS - now.now;
      if (waitMs > 0) return Math.min(waitMs, SECOND_LOOK_MS);
      if (now.origin === origin && (await this.origins.allow(type, origin, now.now))) await this.removeAll(type, now.absent);
      this.missing.shift();
    }
    this.tell();
    return ROUND_MS;
  }

  private async removeAll(type: string, ulids: readonly string[]): Promise<void> {
    for (let start = 0; start < ulids.length; start += REMOVALS_AT_ONCE) {
      const some = ulids.slice(start, start + REMOVALS_AT_ONCE);
      await Promise.all(some.map((ulid) => this.remove(formatJobId({ type, ulid }))));
    }
  }

  /** One that cannot be removed keeps none of the others. */
  private async remove(jobId: string): Promise<void> {
    try {
      // Another worker that looked after this one did may have been first.
      if (await this.belongings.remove(jobId)) this.removed += 1;
    } catch (error) {
      this.failed += 1;
      if (this.failed > 1) return;
      this.options.logger.warn({ err: error, job_id: jobId }, 'what a job that is gone had stored cannot be removed');
    }
  }

  private tell(): void {
    const { removed, failed } = this;
    this.removed = 0;
    this.failed = 0;
    if (removed === 0 && failed === 0) return;
    this.metrics.swept.inc(removed);
    this.options.logger.info({ jobs: removed, failed }, 'what jobs that are gone had stored was removed');
  }
}
