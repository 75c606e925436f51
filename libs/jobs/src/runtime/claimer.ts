import type { Logger } from '@antrean/platform';
import type { AbortCause } from '../definition/errors.js';
import type { Claimed, Settle, WorkerIdentity } from '../store/exchange.js';
import type { Pulse } from '../store/heartbeat.js';
import type { Link } from '../store/link.js';
import type { Held } from '../store/reconcile.js';
import type { StoredJob } from '../store/reply.js';
import type { JobJournal } from '../telemetry/job-journal.js';
import { Demand, type Ask } from './demand.js';
import type { Executor } from './executor.js';
import type { RegisteredHandler } from './handler-registry.js';
import { HeldRange } from './held-range.js';
import { InHand } from './in-hand.js';
import { Intake, type IntakeContext } from './intake.js';
import { Lane, type Request } from './lane.js';
import type { Ticking } from './loop.js';
import type { Share, Slots } from './slots.js';
import type { WorkerOptions } from './worker-options.js';

/** Two calls in flight, so that this process and Redis work at the same time. */
const LANES = 2;
/** An idle worker is woken; this is the net under it. */
const POLL_MS = 30_000;

/** What all claimers of a worker share. */
export interface ClaimerContext extends IntakeContext {
  readonly link: Link;
  readonly worker: WorkerIdentity;
  readonly options: WorkerOptions;
  readonly executor: Executor;
  readonly journal: JobJournal;
  readonly slots: Slots;
}

/** Claims the jobs of one type, has them run, and settles them: ended runs travel with the next claim in one call. */
export class Claimer implements Ticking {
  private readonly lanes: readonly Lane[];
  private readonly logger: Logger;
  private readonly inHand: InHand;
  private readonly heldRange = new HeldRange(() => this.unsettled);
  private readonly share: Share;
  private readonly demand: Demand;
  private readonly intake: Intake;
  private pumping = false;
  /** Redis may know other jobs under this worker than the worker does. */
  private doubtful = false;
  private reconciling = false;
  private readonly giveUp = new AbortController();
  private lastRoundAt = performance.now();
  private readonly quietListeners: (() => void)[] = [];

  constructor(
    private readonly registered: RegisteredHandler,
    /** How many jobs may run here at once. */
    readonly concurrency: number,
    private readonly context: ClaimerContext,
  ) {
    const { link, options, executor, journal, slots } = context;
    this.logger = options.logger.child({ job_type: this.type });
    const onFailed = () => {
      this.reconcileSoon();
    };
    this.lanes = Array.from({ length: LANES }, (_, index) => new Lane(link, index, this.logger, onFailed));
    const pumpSoon = () => {
      this.pumpSoon();
    };
    this.share = slots.share(concurrency, pumpSoon);
    this.demand = new Demand(this.share, Math.ceil(Math.min(concurrency, options.slots) / LANES));
    const onGone = (job: Claimed) => {
      this.gone(job);
    };
    const onCutOff = (job: Claimed) => {
      this.intake.cutOff(job);
    };
    const onBeyondRedis = () => {
      context.heart.tellBeyondRedis();
    };
    this.inHand = new InHand(registered, executor, journal, this.logger, { onEnded: pumpSoon, onCutOff, onGone, onBeyondRedis });
    this.intake = new Intake(registered, this.inHand, context, () => {
      this.wake();
    });
  }

  get type(): string {
    return this.registered.definition.type;
  }

  get running(): number {
    return this.inHand.running;
  }

  /** As {@link InHand.zombiesSince}. */
  get zombiesSince(): readonly number[] {
    return this.inHand.zombiesSince;
  }

  /** As {@link Intake.suspectZombieSince}. */
  get suspectZombieSince(): number | undefined {
    return this.intake.suspectZombieSince;
  }

  /** As {@link InHand.beyondRedis}. */
  get beyondRedis(): number {
    return this.inHand.beyondRedis;
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
    this.demand.wake();
    this.pumpSoon();
  }

  /** Asks Redis what stands under this worker: after a call that failed, a change of its server, a lost lease, or when the counts differ. */
  reconcileSoon(): void {
    this.doubtful = true;
    this.pumpSoon();
  }

  /** A heartbeat's answer. */
  feel({ held, cancels }: Pulse): void {
    for (const ulid of cancels) this.inHand.cancel(ulid);
    if (held === undefined || this.heldRange.isOff(held)) this.reconcileSoon();
  }

  /** Runs were taken from this worker, in their new state. */
  lose(taken: readonly StoredJob[]): void {
    this.inHand.lose(taken);
    // With them it was struck off the workers that are woken.
    this.wake();
  }

  cancel(ulid: string): void {
    if (this.isCalling) this.inHand.cancelOnceHere(ulid);
    else this.inHand.cancel(ulid);
  }

  /** Claims nothing more. Resolves when every job in hand is settled. */
  async drain(): Promise<void> {
    this.demand.stop();
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
      const { running, inHand } = this;
      const { hasEnded } = inHand;
      const want = this.demand.next({ running, hasEnded, isQuiet: this.unsettled === 0 && !hasEnded && !this.isCalling });
      if (want === undefined) break;
      void this.round(lane, this.demand.ask(want));
    }
    if (this.demand.hasLeft && !this.isCalling) {
      this.quietListeners.splice(0).forEach((listener) => {
        listener();
      });
    }
  }

  private async round(lane: Lane, ask: Ask): Promise<void> {
    const parcel = this.inHand.parcel();
    const suspects = ask.jobs > 0 && this.intake.askSuspects();
    this.lastRoundAt = performance.now();
    this.heldRange.sent(ask.jobs, parcel.settles.length);
    const answer = await lane.exchange(this.request(parcel.settles, ask, suspects), this.giveUp.signal, () => {
      ask.away();
    });
    let started = 0;
    if (answer !== undefined) {
      const room = ask.answered(answer.reply);
      parcel.arrived(answer.reply.settled);
      started = this.intake.take(answer, this.demand.isStopping ? 0 : room, { jobs: ask.jobs, suspects });
    }
    this.heldRange.answered(ask.jobs, parcel.settles.length);
    if (!this.isCalling) this.inHand.nothingComes();
    if (suspects) this.intake.over();
    ask.over(started);
    this.pumpSoon();
  }

  private request(settles: readonly Settle[], { want }: Ask, suspects: boolean): Request {
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

  private gone(job: Claimed): void {
    this.share.release(1);
    this.intake.gone(job);
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
