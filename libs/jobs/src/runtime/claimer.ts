import type { Logger } from '@antrean/platform';
import type { AbortCause } from '../definition/errors.js';
import { formatJobId } from '../definition/job-id.js';
import type { Claimed, ExchangeCall, Settle, Unreadable, Want, WorkerIdentity } from '../store/exchange.js';
import { MAX_BYTES_PER_CALL, MAX_JOBS_PER_CALL } from '../store/bounds.js';
import { heldJobs } from '../store/held.js';
import type { Link } from '../store/link.js';
import { jobFields, type JobJournal } from '../telemetry/job-journal.js';
import { handedBack, type Executor } from './executor.js';
import type { RegisteredHandler } from './handler-registry.js';
import type { Heart } from './heart.js';
import { Lane, type Answer } from './lane.js';
import type { Ticking } from './loop.js';
import { Run, type RunEnd } from './run.js';
import type { Slots } from './slots.js';
import type { WorkerOptions } from './worker-options.js';

/** Two calls in flight, so that this process and Redis work at the same time. */
const LANES = 2;
/** Results and errors of one call stay about below this; each is at most 64 KiB. */
const MAX_SETTLE_BYTES = MAX_BYTES_PER_CALL - 65_536;
/** A claim whose answer took so long that this share of the lease is gone is not started. */
const LATEST_START = 0.75;
/** How long a job stays away from a process in which an earlier run of it has not ended. */
const ZOMBIE_DELAY_MS = 1_000;
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
  /** Told how soon the next waiting job of the type is due. */
  readonly onNextDue: (type: string, inMs: number) => void;
}

interface InHand {
  readonly job: Claimed;
  readonly run: Run;
}

interface Ended {
  readonly job: Claimed;
  readonly end: RunEnd;
}

/** Claims the jobs of one type, has them run, and settles them: ended runs travel with the next claim in one call. */
export class Claimer implements Ticking {
  private readonly lanes: readonly Lane[];
  private readonly logger: Logger;
  /** By ulid, the runs whose handler has not ended, settled ones included. */
  private readonly runs = new Map<string, InHand>();
  /** Claimed jobs that Redis does not know to be settled. */
  private readonly unsettled = new Set<Claimed>();
  private readonly ended: Ended[] = [];
  private readonly concluded = new WeakSet<Claimed>();
  /** Slots asked for in calls that are not answered yet. */
  private asked = 0;
  private hungry = true;
  private wakes = 0;
  private pumping = false;
  private stopping = false;
  /** A wake-up came, or the worker stops: without a free slot, another worker is to be told. */
  private passOn = false;
  /** The last call was sent. */
  private left = false;
  /** Claimed jobs that cannot be read, to be buried. */
  private readonly rejects: Unreadable[] = [];
  private readonly giveUp = new AbortController();
  private lastRoundAt = performance.now();
  private readonly quietListeners: (() => void)[] = [];

  constructor(
    private readonly registered: RegisteredHandler,
    private readonly concurrency: number,
    private readonly context: ClaimerContext,
  ) {
    this.logger = context.options.logger.child({ job_type: this.type });
    this.lanes = Array.from({ length: LANES }, (_, index) => new Lane(context.link, index, this.logger));
  }

  get type(): string {
    return this.registered.definition.type;
  }

  get running(): number {
    return this.runs.size;
  }

  /** Claimed jobs that are not settled. */
  get inHand(): number {
    return this.unsettled.size;
  }

  /** Milliseconds since the last round was tried, or passed over knowingly. */
  get roundAgeMs(): number {
    return performance.now() - this.lastRoundAt;
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
    this.hungry = true;
    this.passOn = true;
    this.pumpSoon();
  }

  /** Looks once more at the end of this turn of the event loop, together with all else that ends in it. */
  pumpSoon(): void {
    if (this.pumping) return;
    this.pumping = true;
    setImmediate(() => {
      this.pumping = false;
      this.pump();
    });
  }

  /** The lease on the type is gone: runs of jobs that no longer stand under this worker are told to stop. */
  async leaseLost(): Promise<void> {
    const before = [...this.unsettled];
    const held = await heldJobs(this.context.link, this.type, this.context.worker.number);
    for (const job of before.filter(({ ulid }) => !held.has(ulid))) {
      const inHand = this.runs.get(job.ulid);
      if (inHand?.job === job) inHand.run.abort('lease_lost');
    }
  }

  /** Claims nothing more. Resolves when every job in hand is settled. */
  async drain(): Promise<void> {
    this.stopping = true;
    this.passOn = true;
    this.pumpSoon();
    await new Promise<void>((resolve) => this.quietListeners.push(resolve));
  }

  abortAll(cause: AbortCause): void {
    for (const { run } of this.runs.values()) run.abort(cause);
  }

  /** The very last act: jobs whose handlers have not ended go back to their line. */
  handBack(): void {
    for (const { job, run } of this.runs.values()) this.conclude(job, handedBack(run));
  }

  /** Stops waiting for Redis; what is not settled by now is left to the lease. */
  abandon(): void {
    this.giveUp.abort();
    for (const job of this.unsettled)
      this.logger.warn(jobFields(this.type, job), 'job could not be settled before the shutdown, another worker will run it');
  }

  private pump(): void {
    for (;;) {
      const lane = this.lanes.find(({ busy }) => !busy);
      if (lane === undefined) return;
      const want = this.want();
      if (this.ended.length === 0 && this.rejects.length === 0 && !this.worthAsking(want)) break;
      void this.round(lane, want);
    }
    if (this.left && !this.lanes.some(({ busy }) => busy)) {
      this.quietListeners.splice(0).forEach((listener) => {
        listener();
      });
    }
  }

  private worthAsking(want: Want): boolean {
    return typeof want === 'number' ? want > 0 && this.hungry : true;
  }

  private want(): Want {
    if (this.stopping) {
      if (this.passOn) return 'pass_on';
      const quiet = this.unsettled.size === 0 && this.rejects.length === 0 && !this.lanes.some(({ busy }) => busy);
      return quiet && !this.left ? 'leave' : 0;
    }
    const free = Math.max(Math.min(this.concurrency - this.runs.size - this.asked, this.context.slots.free), 0);
    return free === 0 && this.asked === 0 && this.passOn ? 'pass_on' : Math.min(free, MAX_JOBS_PER_CALL);
  }

  private takeEnded(max: number): Ended[] {
    let bytes = 0;
    let count = 0;
    for (const { end } of this.ended) {
      if (count === max || bytes > MAX_SETTLE_BYTES) break;
      if ('json' in end.settlement) bytes += Buffer.byteLength(end.settlement.json);
      count += 1;
    }
    return this.ended.splice(0, count);
  }

  private async round(lane: Lane, want: Want): Promise<void> {
    const rejects = this.rejects.splice(0, MAX_JOBS_PER_CALL);
    const ended = this.takeEnded(MAX_JOBS_PER_CALL - rejects.length);
    const asked = typeof want === 'number' ? want : 0;
    const wakesBefore = this.wakes;
    this.lastRoundAt = performance.now();
    if (want !== 0) this.passOn = false;
    if (want === 'leave') this.left = true;
    this.asked += asked;
    this.context.slots.take(asked);
    const answer = await lane.exchange(
      this.request([...ended.map(settleOf), ...rejects.map(burialOf)], want),
      this.giveUp.signal,
    );
    this.asked -= asked;
    this.context.slots.release(asked);
    if (answer !== undefined) {
      // A wake-up that came meanwhile may be about work that this answer could not know of.
      if (asked > 0 && wakesBefore === this.wakes) this.hungry = !answer.reply.idle;
      this.take(ended, answer);
    }
    this.pumpSoon();
  }

  private request(settles: readonly Settle[], want: Want): Omit<ExchangeCall, 'lane' | 'call'> {
    const { worker, options } = this.context;
    return {
      type: this.type,
      worker,
      leaseMs: options.leaseMs,
      want,
      suspects: true,
      version: this.registered.definition.version,
      keepFinished: options.retentionMs > 0,
      keepFailed: options.deadRetentionMs > 0,
      settles,
    };
  }

  private take(ended: readonly Ended[], { reply, sentAt }: Answer): void {
    ended.forEach(({ job, end }, index) => {
      this.unsettled.delete(job);
      this.context.journal.settled(this.type, job, end.report, reply.settled[index] ?? 'unknown');
    });
    for (const job of reply.claimed) this.start(job, sentAt);
    for (const job of reply.unreadable) this.reject(job);
    if (this.unsettled.size > 0) this.context.heart.hold(this.type);
    else this.context.heart.release(this.type);
    if (reply.nextDueInMs !== undefined) this.context.onNextDue(this.type, reply.nextDueInMs);
  }

  /** A job that cannot be read is buried alone; its neighbours run. */
  private reject(job: Unreadable): void {
    const jobId = formatJobId({ type: this.type, ulid: job.ulid });
    this.logger.error({ job_id: jobId, reason: job.reason }, 'job cannot be read and is buried');
    this.rejects.push(job);
  }

  private start(job: Claimed, sentAt: number): void {
    this.unsettled.add(job);
    const run = new Run();
    const tooLate = performance.now() - sentAt > this.context.options.leaseMs * LATEST_START;
    if (this.stopping || tooLate) {
      this.conclude(job, handedBack(run));
      return;
    }
    const earlier = this.runs.get(job.ulid);
    if (earlier !== undefined) {
      // Its settle counts no more; as long as its handler goes on, the job runs elsewhere.
      earlier.run.abort('lease_lost');
      this.conclude(job, handedBack(run, ZOMBIE_DELAY_MS));
      return;
    }
    this.runs.set(job.ulid, { job, run });
    this.context.slots.take(1);
    this.context.journal.started(this.type, job);
    const { end, gone } = this.context.executor.execute(this.registered, job, run);
    void end.then((runEnd) => {
      this.conclude(job, runEnd);
    });
    void gone.then(() => {
      this.runs.delete(job.ulid);
      this.context.slots.release(1);
      this.pumpSoon();
    });
  }

  /** The first end of a run is the one that is settled. */
  private conclude(job: Claimed, end: RunEnd): void {
    if (this.concluded.has(job)) return;
    this.concluded.add(job);
    this.ended.push({ job, end });
    this.pumpSoon();
  }
}

function settleOf({ job, end }: Ended): Settle {
  return { ulid: job.ulid, token: job.token, settlement: end.settlement };
}

function burialOf({ ulid, token, reason }: Unreadable): Settle {
  const json = JSON.stringify({ name: 'UnreadableRecordError', code: 'unreadable_record', message: reason });
  return { ulid, token, settlement: { event: 'bury', outcome: 'failed', json } };
}
