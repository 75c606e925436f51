import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { closeRedis, connectRedis, onServerChange, type RedisConnection } from '@antrean/platform';
import type { JobId } from '../definition/job-id.js';
import { Link } from '../store/link.js';
import { AwaitedJob } from './awaited-job.js';
import { PRODUCER_OPTIONS, type ProducerOptions } from './producer-options.js';

/** Timers of Node end at once beyond this. */
const LONGEST_TIMER_MS = 2_147_483_647;

/** How long to wait: until the time is over, 24 days at most, or the signal aborts. */
export interface WaitLimits {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** Tells who waits for a job that it has ended. All waits of the process share one connection, opened by the first. */
@Injectable()
export class JobEnds implements OnModuleDestroy {
  /** By channel. */
  private readonly awaited = new Map<string, AwaitedJob>();
  private ear: RedisConnection | undefined;
  private closed = false;

  constructor(
    private readonly link: Link,
    @Inject(PRODUCER_OPTIONS) private readonly options: ProducerOptions,
  ) {}

  /**
   * True as soon as the job has ended or is not there; it may have been replayed by the time one looks. False when the limits
   * are reached first, or the application shuts down.
   */
  next(id: JobId, { timeoutMs, signal }: WaitLimits): Promise<boolean> {
    if (this.closed || timeoutMs <= 0 || signal?.aborted === true) return Promise.resolve(false);
    const job = this.awaitedJob(id);
    return new Promise((resolve) => {
      const end = (mayHaveEnded: boolean): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', giveUp);
        if (job.remove(end)) this.awaited.delete(job.channel);
        resolve(mayHaveEnded);
      };
      const giveUp = (): void => {
        end(false);
      };
      const timer = setTimeout(giveUp, Math.min(timeoutMs, LONGEST_TIMER_MS));
      signal?.addEventListener('abort', giveUp);
      job.add(end);
    });
  }

  /** In the first of all shutdown hooks' phases: what drains in a later one does not wait for waits. */
  onModuleDestroy(): void {
    this.closed = true;
    for (const job of this.awaited.values()) job.end(false);
    if (this.ear !== undefined) closeRedis(this.ear);
  }

  private awaitedJob(id: JobId): AwaitedJob {
    this.ear ??= this.openEar();
    const channel = this.link.keys(id.type).ended(id.ulid);
    let job = this.awaited.get(channel);
    if (job === undefined) {
      job = new AwaitedJob(id, this.link, this.ear, this.options.logger);
      this.awaited.set(channel, job);
    }
    return job;
  }

  private openEar(): RedisConnection {
    const { redisUrl, logger } = this.options;
    const ear = connectRedis(redisUrl, { name: 'antrean-job-ends', logger });
    ear.on('smessage', (channel: string) => this.awaited.get(channel)?.end(true));
    ear.on('ready', () => {
      for (const job of this.awaited.values()) job.onReconnect();
    });
    onServerChange(ear, (concerns) => {
      for (const job of this.awaited.values()) if (concerns(job.channel)) job.onServerChange();
    });
    return ear;
  }
}
