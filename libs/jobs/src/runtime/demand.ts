import { MAX_JOBS_PER_CALL } from '../store/bounds.js';
import type { ExchangeReply, Want } from '../store/exchange.js';
import type { Share } from './slots.js';

/** How things stand with a worker's jobs of the type, as far as it matters for what to ask for. */
export interface Standing {
  /** Handlers that have not ended. */
  readonly running: number;
  /** Something is to be settled. */
  readonly hasEnded: boolean;
  /** Nothing is in hand, and no call is under way. */
  readonly isQuiet: boolean;
}

/** What a worker asks Redis for, of one type: how many jobs, to tell another worker, or to be forgotten. */
export class Demand {
  private backlog = false;
  private wakes = 0;
  private stopping = false;
  /** A wake-up came, or the worker stops: without a free slot, another worker is to be told. */
  private passOn = false;
  /** The last call was sent. */
  private left = false;

  /** @param part while more waits than was given, a call asks for no more: one part of the slots runs while the next is claimed. */
  constructor(
    private readonly share: Share,
    private readonly part: number,
  ) {}

  get isStopping(): boolean {
    return this.stopping;
  }

  get hasLeft(): boolean {
    return this.left;
  }

  /** There may be work. */
  wake(): void {
    this.wakes += 1;
    this.share.hungry = true;
    this.passOn = true;
  }

  /** No more jobs are asked for. */
  stop(): void {
    this.stopping = true;
    this.passOn = true;
  }

  /** What a call is to ask for now; undefined when there is no reason for a call. */
  next(standing: Standing): Want | undefined {
    const want = this.want(standing);
    const isReason = typeof want === 'number' ? want > 0 && this.share.hungry : true;
    return isReason || standing.hasEnded ? want : undefined;
  }

  /** A call leaves that asks for this. */
  ask(want: Want): Ask {
    if (want !== 0) this.passOn = false;
    if (want === 'leave') this.left = true;
    const jobs = typeof want === 'number' ? want : 0;
    const wakesBefore = this.wakes;
    return new Ask(this.share, want, jobs, (idle) => {
      if (jobs === 0) return;
      this.backlog = !idle;
      // A wake-up that came meanwhile may be about work that this answer could not know of.
      if (wakesBefore === this.wakes) this.share.hungry = !idle;
    });
  }

  private want({ running, isQuiet }: Standing): Want {
    if (this.stopping) {
      if (this.passOn) return 'pass_on';
      return isQuiet && !this.left ? 'leave' : 0;
    }
    const free = this.share.claimable;
    if (free === 0 && this.share.taken === running && this.passOn) return 'pass_on';
    return Math.min(free, MAX_JOBS_PER_CALL, this.backlog ? this.part : free);
  }
}

/** What one call asks for, and the slots that are kept for it. */
export class Ask {
  private room: number;

  constructor(
    private readonly share: Share,
    readonly want: Want,
    readonly jobs: number,
    private readonly learn: (idle: boolean) => void,
  ) {
    this.room = jobs;
    share.take(jobs);
  }

  /** While Redis, or the node of this type, is away, other types may use the slots. */
  away(): void {
    this.share.away = true;
    this.share.release(this.room);
    this.room = 0;
  }

  /** For how many of the jobs in the answer there are slots. */
  answered({ claimed, idle }: ExchangeReply): number {
    this.share.away = false;
    if (this.room === 0) {
      this.room = Math.min(claimed.length, this.share.claimable);
      this.share.take(this.room);
    }
    this.learn(idle);
    return this.room;
  }

  /** Each of the started keeps its slot. */
  over(started: number): void {
    this.share.release(this.room - started);
  }
}
