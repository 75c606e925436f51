import type { Logger } from '@antrean/platform';
import type { AbortCause } from '../definition/errors.js';
import { MAX_JOBS_PER_CALL } from '../store/bounds.js';
import type { Claimed, Settle, Want, WorkerIdentity } from '../store/exchange.js';
import type { Pulse } from '../store/heartbeat.js';
import type { Link } from '../store/link.js';
import type { JobJournal } from '../telemetry/job-journal.js';
import type { Executor } from './executor.js';
import type { RegisteredHandler } from './handler-registry.js';
import { BEATS_PER_LEASE, type Heart } from './heart.js';
import { HeldRange } from './held-range.js';
import { InHand } from './in-hand.js';
import type { Held } from '../store/reconcile.js';
import { Lane, type Answer, type Request } from './lane.js';
import type { Ticking } from './loop.js';
import type { Share, Slots } from './slots.js';
import type { SuspectPermit } from './suspect-permit.js';
import type { WorkerOptions } from './worker-options.js';

/** Two calls in flight, so that this process and Redis work at the same time. */
const LANES = 2;
/** A job claimed so long ago that this share of the lease is gone is not started. */
const LATEST_START = 0.75;
/** An idle worker is woken; this is the net under it. */
const POLL_MS = 30_000;

/** What all claimers of a worker share. */
export interface ClaimerContext {
  readonly link: Link;
  readonly worker: WorkerIdentity;
  readonly options: WorkerOptions;
  readonly executor: Executor;
  readonly journal: JobJournal;
  readonly heart: Heart;
  readonly slots: Slots;
  readonly suspects: SuspectPermit;
  /** Told how soon the next waiting job of the type is due. */
  readonly onNextDue: (type: string, inMs: number) => void;
}

/** Claims the jobs of one type, has them run, and settles them: ended runs travel with the next claim in one call. */
export class Claimer implements Ticking {
  private readonly lanes: readonly Lane[];
  private readonly logger: Logger;
  private readonly inHand: InHand;
  private readonly heldRange = new HeldRange(() => this.unsettled);
  private readonly share: Share;
  /** While more waits than was given, a lane asks for its part of the slots only: one part runs while the next is claimed. */
  private readonly part: number;
  private backlog = false;
  private wakes = 0;
  private pumping = false;
  private stopping = false;
  /** A wake-up came, or the worker stops: without a free slot, another worker is to be told. */
  private passOn = false;
  /** The last call was sent. */
  private left = false;
  /** Redis may know other jobs under this worker than the worker does. */
  private doubtful = false;
  private reconciling = false;
  /** The suspect that holds the permit. */
  private suspect: Claimed | undefined;
  private readonly onPermit = (): void => {
    this.wake();
  };
  private readonly giveUp = new AbortController();
  private lastRoundAt = performance.now();
  private readonly quietListeners: (() => void)[] = [];

  constructor(
    private readonly registered: RegisteredHandler,
    concurrency: number,
    private readonly context: ClaimerContext,
  ) {
    const { link, options, executor, journal, slots } = context;
    this.logger = options.logger.child({ job_type: this.type });
    this.lanes = Array.from({ length: LANES }, (_, index) => new Lane(link, index, this.logger));
    const pumpSoon = () => {
      this.pumpSoon();
    };
    this.share = slots.share(concurrency, pumpSoon);
    this.part = Math.ceil(Math.min(concurrency, options.slots) / LANES);
    const onGone = (job: Claimed) => {
      this.gone(job);
    };
    this.inHand = new InHand(registered, executor, journal, this.logger, { onEnded: pumpSoon, onGone });
  }

  get type(): string {
    return this.registered.definition.type;
  }

  get running(): number {
    return this.inHand.running;
  }

  /** Claimed jobs that are not settled. */
  get unsettled(): number {
    return this.inHand.unsettledCount;
  }

  /** Milliseconds since the last round was tried, or passed over knowingly. */
  get roundAgeMs(): number {
    return performance.now() - Math.max(this.lastRoundAt, ...this.lanes.map(({ lastTriedAt }) => lastTriedAt));
  }

  private get isCalling(): boolean {
    return this.lanes.some(({ busy }) => busy);
  }

  /** The slow poll under the wake-ups. */
  tick(): Promise<number> {
    // With both lanes waiting for a Redis that is there, something is stuck, and its age is to show it.
    const { redis } = this.context.link;
    if (redis.status !== 'ready' || this.lanes.some(({ busy }) => !busy)) this.lastRoundAt = performance.now();
    this.wake();
    return Promise.resolve(POLL_MS);
  }

  /** There may be work. */
  wake(): void {
    this.wakes += 1;
    this.share.hungry = true;
    this.passOn = true;
    this.pumpSoon();
  }

  /** Asks Redis what stands under this worker: after a reconnect, a lost lease, or when the counts differ. */
  reconcileSoon(): void {
    this.doubtful = true;
    this.pumpSoon();
  }

  /** A heartbeat's answer. */
  feel({ held, cancels }: Pulse): void {
    for (const ulid of cancels) this.inHand.cancel(ulid);
    if (held === undefined || this.heldRange.isOff(held)) this.reconcileSoon();
  }

  cancel(ulid: string): void {
    if (this.isCalling) this.inHand.cancelOnceHere(ulid);
    else this.inHand.cancel(ulid);
  }

  /** Claims nothing more. Resolves when every job in hand is settled. */
  async drain(): Promise<void> {
    this.stopping = true;
    this.passOn = true;
    this.pumpSoon();
    await new Promise<void>((resolve) => this.quietListeners.push(resolve));
  }

  abortAll(cause: AbortCause): void {
    this.inHand.abortAll(cause);
  }

  /** The very last act: jobs whose handlers have not ended go back to their line. */
  handBack(): void {
    this.inHand.handBackAll();
  }

  /** Stops waiting for Redis; what is not settled by now is left to the lease. */
  abandon(): void {
    this.giveUp.abort();
    this.inHand.abandon();
  }

  /** Looks once more at the end of this turn of the event loop, together with all else that ends in it. */
  private pumpSoon(): void {
    if (this.pumping) return;
    this.pumping = true;
    setImmediate(() => {
      this.pumping = false;
      this.pump();
    });
  }

  private pump(): void {
    if (this.reconciling) return;
    if (this.doubtful) {
      if (this.isCalling) return;
      void this.reconcile();
      return;
    }
    for (;;) {
      const lane = this.lanes.find(({ busy }) => !busy);
      if (lane === undefined) return;
      const want = this.want();
      if (!this.inHand.hasEnded && (want === 0 || (typeof want === 'number' && !this.share.hungry))) break;
      void this.round(lane, want);
    }
    if (this.left && !this.isCalling) {
      this.quietListeners.splice(0).forEach((listener) => {
        listener();
      });
    }
  }

  private want(): Want {
    if (this.stopping) {
      if (this.passOn) return 'pass_on';
      const quiet = this.unsettled === 0 && !this.inHand.hasEnded && !this.isCalling;
      return quiet && !this.left ? 'leave' : 0;
    }
    const free = this.share.claimable;
    if (free === 0 && this.share.taken === this.running && this.passOn) return 'pass_on';
    return Math.min(free, MAX_JOBS_PER_CALL, this.backlog ? this.part : free);
  }

  private async round(lane: Lane, want: Want): Promise<void> {
    const parcel = this.inHand.parcel();
    const asked = typeof want === 'number' ? want : 0;
    const suspects = asked > 0 && this.context.suspects.take();
    const wakesBefore = this.wakes;
    this.lastRoundAt = performance.now();
    if (want !== 0) this.passOn = false;
    if (want === 'leave') this.left = true;
    this.share.take(asked);
    this.heldRange.sent(asked, parcel.settles.length);
    let room = asked;
    const answer = await lane.exchange(this.request(parcel.settles, want, suspects), this.giveUp.signal, () => {
      // While Redis, or the node of this type, is away, other types may use the slots.
      this.share.away = true;
      this.share.release(room);
      room = 0;
    });
    let started = 0;
    if (answer !== undefined) {
      this.share.away = false;
      if (room === 0) room = this.takeAgain(answer.reply.claimed.length);
      if (asked > 0) this.backlog = !answer.reply.idle;
      // A wake-up that came meanwhile may be about work that this answer could not know of.
      if (asked > 0 && wakesBefore === this.wakes) this.share.hungry = !answer.reply.idle;
      parcel.arrived(answer.reply.settled);
      started = this.take(answer, room, suspects);
    }
    this.heldRange.answered(asked, parcel.settles.length);
    if (!this.isCalling) this.inHand.nothingComes();
    if (suspects && this.suspect === undefined) this.context.suspects.release();
    this.share.release(room - started);
    this.pumpSoon();
  }

  private request(settles: readonly Settle[], want: Want, suspects: boolean): Request {
    const { worker, options } = this.context;
    return {
      type: this.type,
      worker,
      leaseMs: options.leaseMs,
      want,
      suspects,
      version: this.registered.definition.version,
      keepFinished: options.retentionMs > 0,
      keepFailed: options.deadRetentionMs > 0,
      settles,
    };
  }

  /** Slots for jobs that were claimed before their slots were given up. */
  private takeAgain(jobs: number): number {
    const room = Math.min(jobs, this.share.claimable);
    this.share.take(room);
    return room;
  }

  /** How many handlers were started, of those there is room for; each keeps its slot. */
  private take({ reply, sentAt }: Answer, room: number, suspects: boolean): number {
    const { heart, onNextDue } = this.context;
    // Before a handler is started: the first may block the event loop at once, and the lease is to be kept all the same.
    if (reply.claimed.length + reply.unreadable.length > 0) heart.hold(this.type);
    let started = 0;
    for (const job of reply.claimed) {
      const isInTime = started < room && !this.isTooLate(job, performance.now() - sentAt);
      if (this.stopping || !isInTime) this.inHand.giveBack(job);
      else if (this.inHand.start(job)) {
        started += 1;
        if (suspects && job.record.suspect) this.suspect = job;
      }
    }
    for (const job of reply.unreadable) this.inHand.reject(job);
    if (reply.suspectsWait) {
      this.context.suspects.onceFree(this.onPermit);
    }
    if (this.unsettled === 0) heart.release(this.type);
    if (reply.nextDueInMs !== undefined) onNextDue(this.type, reply.nextDueInMs);
    return started;
  }

  /** Also a job whose run may have been settled as timed out in the meantime, because the event loop was blocked. */
  private isTooLate({ record }: Claimed, sinceClaimMs: number): boolean {
    const { leaseMs } = this.context.options;
    const hardLimitMs = record.timeoutMs + this.registered.definition.graceMs;
    return sinceClaimMs > Math.min(leaseMs * LATEST_START, Math.max(leaseMs / BEATS_PER_LEASE, hardLimitMs));
  }

  private gone(job: Claimed): void {
    this.share.release(1);
    if (this.suspect === job) {
      this.suspect = undefined;
      this.context.suspects.release();
    }
    this.pumpSoon();
  }

  /** While no call is under way, and none begins before it is done. */
  private async reconcile(): Promise<void> {
    const { worker, options } = this.context;
    this.reconciling = true;
    this.doubtful = false;
    let held: Held[] | undefined;
    for (const lane of this.lanes) held = await lane.reconcile(this.type, worker.number, options.leaseMs, this.giveUp.signal);
    if (held !== undefined) this.inHand.reconcile(held);
    this.reconciling = false;
    this.pumpSoon();
  }
}
