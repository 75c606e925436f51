import { endsWithin } from '@antrean/platform';
import { BootRecord } from './boot-record.js';
import { ThreadBootError } from './isolate-errors.js';
import { Isolate, type IsolateOwner, type IsolateSettings } from './isolate.js';

/** What ends at once does so in a moment; native code that holds a thread is not waited for longer. */
const KILL_LIMIT_MS = 1_000;

/** Who uses a pool. */
export interface PoolUser {
  /** An isolate is free, or there is room for another: look for one again. */
  changed(): void;
  /** No isolate can be started at the moment, and there is none. */
  cannotStart(error: ThreadBootError): void;
  /** What still runs is ended now. */
  cutOff(): void;
}

/** The isolates of one type: started when they are needed, kept while they are used, ended after a while without a job. */
export class IsolatePool implements IsolateOwner {
  private readonly isolates = new Set<Isolate>();
  /** Those without a job, with the timers that end them. */
  private readonly idle = new Map<Isolate, NodeJS.Timeout>();
  private readonly boots = new BootRecord();
  private retry: NodeJS.Timeout | undefined;
  private closing: Promise<void> | undefined;
  /** Told when no thread is left. */
  private onEmpty: () => void = () => undefined;

  constructor(
    private readonly settings: IsolateSettings,
    private readonly size: number,
    private readonly idleMs: number,
    private readonly user: PoolUser,
  ) {}

  /** The threads there are, those included that are on their way up or down. */
  get threads(): number {
    return this.isolates.size;
  }

  /** The one that had a job last, so that those beyond the need come to their end. */
  take(): Isolate | undefined {
    const isolate = [...this.idle.keys()].at(-1);
    if (isolate === undefined) return undefined;
    clearTimeout(this.idle.get(isolate));
    this.idle.delete(isolate);
    return isolate;
  }

  /** Starts isolates for this many jobs that wait for one. */
  provide(waiting: number): void {
    if (this.closing !== undefined || waiting === 0) return;
    const waitMs = this.boots.waitMs(performance.now());
    if (waitMs > 0) {
      this.retry ??= setTimeout(() => {
        this.retry = undefined;
        this.user.changed();
      }, waitMs);
      return;
    }
    const booting = [...this.isolates].filter((isolate) => isolate.booting).length;
    for (let starts = this.boots.startsFor(waiting, booting, this.threads, this.size); starts > 0; starts -= 1) this.start();
  }

  /** Lets free isolates end, busy ones after their job; those that are not gone when the grace is over are ended in the middle of it. */
  close(graceMs: number): Promise<void> {
    this.closing ??= this.endAll(graceMs);
    return this.closing;
  }

  free(isolate: Isolate): void {
    if (this.boots.succeeded()) this.settings.logger.info('threads can be started again');
    if (this.closing !== undefined) {
      isolate.end();
      return;
    }
    const timer = setTimeout(() => {
      this.idle.delete(isolate);
      isolate.end();
    }, this.idleMs);
    this.idle.set(isolate, timer.unref());
    this.user.changed();
  }

  gone(isolate: Isolate, bootError: ThreadBootError | undefined): void {
    this.isolates.delete(isolate);
    clearTimeout(this.idle.get(isolate));
    this.idle.delete(isolate);
    if (this.isolates.size === 0) this.onEmpty();
    if (bootError !== undefined) this.bootFailed(bootError);
    this.user.changed();
  }

  private start(): void {
    try {
      this.isolates.add(new Isolate(this.settings, this));
    } catch (error) {
      // The system has no thread left to give.
      this.bootFailed(new ThreadBootError(this.settings.type, this.settings.file, error));
    }
  }

  private bootFailed(error: ThreadBootError): void {
    const isFirst = this.boots.failed(performance.now());
    if (isFirst) this.settings.logger.error({ err: error }, 'a thread cannot be started');
    if ([...this.isolates].every((isolate) => isolate.booting)) this.user.cannotStart(error);
  }

  private async endAll(graceMs: number): Promise<void> {
    clearTimeout(this.retry);
    for (const timer of this.idle.values()) clearTimeout(timer);
    for (const isolate of this.isolates) if (isolate.booting) isolate.kill();
    for (const isolate of this.idle.keys()) isolate.end();
    this.idle.clear();
    const empty = new Promise<void>((resolve) => {
      this.onEmpty = resolve;
      if (this.isolates.size === 0) resolve();
    });
    if (await endsWithin(empty, graceMs)) return;
    this.user.cutOff();
    for (const isolate of this.isolates) isolate.kill();
    await endsWithin(empty, KILL_LIMIT_MS);
  }
}
