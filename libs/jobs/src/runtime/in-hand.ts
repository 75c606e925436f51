import type { Logger } from '@antrean/platform';
import type { AbortCause } from '../definition/errors.js';
import { formatJobId } from '../definition/job-id.js';
import { MAX_BYTES_PER_CALL, MAX_JOBS_PER_CALL } from '../store/bounds.js';
import type { Claimed, Settle, Settled, Unreadable } from '../store/exchange.js';
import type { Held } from '../store/reconcile.js';
import type { StoredJob } from '../store/reply.js';
import { jobFields, type JobJournal } from '../telemetry/job-journal.js';
import type { Executor } from './executor.js';
import type { RegisteredHandler } from './handler-registry.js';
import { handedBack, neverBegan } from './run-ends.js';
import { Run, type RunEnd } from './run.js';

/** Results and errors of one call stay about below this; each is at most 64 KiB. */
const MAX_SETTLE_BYTES = MAX_BYTES_PER_CALL - 65_536;
/** How long a job stays away from a process in which an earlier run of it has not ended: at first, and at most. */
const FIRST_ZOMBIE_DELAY_MS = 1_000;
const MAX_ZOMBIE_DELAY_MS = 60_000;
/** Cancels of jobs that may be on their way here; more than these are a sign that they are not. */
const MAX_EARLY_CANCELS = 1_000;

interface Running {
  readonly job: Claimed;
  readonly run: Run;
  /** When it was cut off, in ms of the monotonic clock; undefined while its time is not over. */
  cutOffAt: number | undefined;
  /** How often a later run of its job came here and was sent on. */
  sentOn: number;
  /** Redis does not count it under this worker any more, or will not once it has heard what was sent. */
  isLetGo: boolean;
}

interface Ended {
  readonly job: Claimed;
  readonly end: RunEnd;
}

/** Settles that travel with a call, and what is to be told of its answer. */
export interface Parcel {
  readonly settles: readonly Settle[];
  arrived(settled: readonly Settled[]): void;
}

export interface InHandEvents {
  /** A run ended, and its settle is to travel. */
  readonly onEnded: () => void;
  /** The time of a run is over, or it was taken, and its handler goes on. */
  readonly onCutOff: (job: Claimed) => void;
  /** The handler of a run has really ended. */
  readonly onGone: (job: Claimed) => void;
  /** {@link InHand.beyondRedis} has changed. */
  readonly onBeyondRedis: () => void;
}

/** The jobs of one type that this worker has in hand: from their claim until Redis knows how they ended. */
export class InHand {
  /** By ulid, the runs whose handler has not ended, settled ones included. */
  private readonly runs = new Map<string, Running>();
  /** Claimed jobs that Redis does not know to be settled. */
  private readonly unsettled = new Set<Claimed>();
  private readonly ended: Ended[] = [];
  private readonly concluded = new WeakSet<Claimed>();
  /** Jobs that were cancelled before the answer that claims them came. */
  private readonly cancelledEarly = new Set<string>();
  /** Settles of jobs that no run is of: unreadable ones, and those that Redis has under this worker and the worker does not know. */
  private readonly strays: Settle[] = [];

  constructor(
    private readonly registered: RegisteredHandler,
    private readonly executor: Executor,
    private readonly journal: JobJournal,
    private readonly logger: Logger,
    private readonly events: InHandEvents,
  ) {}

  private get type(): string {
    return this.registered.definition.type;
  }

  /** Handlers that have not ended. */
  get running(): number {
    return this.runs.size;
  }

  /** When each run was cut off that is settled and whose handler goes on all the same, in ms of the monotonic clock. */
  get zombiesSince(): readonly number[] {
    return [...this.runs.values()].flatMap(({ job }) => this.zombieSince(job) ?? []);
  }

  /** As {@link zombiesSince}, of one run; undefined while it is none of these. */
  zombieSince(job: Claimed): number | undefined {
    return this.unsettled.has(job) ? undefined : this.runningOf(job)?.cutOffAt;
  }

  /** Handlers that have not ended and that Redis does not count under this worker, or will not in a moment. */
  get beyondRedis(): number {
    return [...this.runs.values()].filter(({ isLetGo }) => isLetGo).length;
  }

  get unsettledCount(): number {
    return this.unsettled.size;
  }

  /** Something is to be settled. */
  get hasEnded(): boolean {
    return this.ended.length + this.strays.length > 0;
  }

  /** Begins a run. True: a handler was started, and `onGone` follows. */
  start(job: Claimed): boolean {
    this.unsettled.add(job);
    const earlier = this.runs.get(job.ulid);
    if (earlier !== undefined) {
      // Its settle counts no more; as long as its handler goes on, the job runs elsewhere.
      earlier.run.abort('lease_lost');
      this.conclude(job, neverBegan(Math.min(FIRST_ZOMBIE_DELAY_MS * 2 ** earlier.sentOn, MAX_ZOMBIE_DELAY_MS)));
      earlier.sentOn += 1;
      return false;
    }
    const run = new Run();
    const running: Running = { job, run, cutOffAt: undefined, sentOn: 0, isLetGo: false };
    this.runs.set(job.ulid, running);
    this.journal.started(this.type, job);
    if (job.record.cancelRequested || this.cancelledEarly.delete(job.ulid)) run.abort('cancelled');
    const { end, gone } = this.executor.execute(this.registered, job, run);
    void end.then((runEnd) => {
      if (runEnd.pastHardLimit === true) this.cutOff(running);
      this.conclude(job, runEnd);
    });
    void gone.then(() => {
      this.runs.delete(job.ulid);
      if (running.cutOffAt !== undefined) this.journal.zombies(this.type, -1);
      if (running.isLetGo) this.events.onBeyondRedis();
      this.events.onGone(job);
    });
    return true;
  }

  /** A claimed job that is not to be run here goes back as it came. */
  giveBack(job: Claimed): void {
    this.unsettled.add(job);
    this.conclude(job, neverBegan());
  }

  /** A job that cannot be read is buried alone; its neighbours run. */
  reject({ ulid, token, reason }: Unreadable): void {
    this.logger.error({ job_id: formatJobId({ type: this.type, ulid }), reason }, 'job cannot be read and is buried');
    const json = JSON.stringify({ name: 'UnreadableRecordError', code: 'unreadable_record', message: reason });
    this.strays.push({ ulid, token, settlement: { event: 'bury', outcome: 'failed', json } });
  }

  /** What one call can carry of what has ended. */
  parcel(): Parcel {
    const strays = this.strays.splice(0, MAX_JOBS_PER_CALL);
    const ended = this.takeEnded(MAX_JOBS_PER_CALL - strays.length);
    for (const { job } of ended) this.letGo(this.runningOf(job));
    return {
      settles: [...ended.map(settleOf), ...strays],
      arrived: (settled) => {
        ended.forEach(({ job, end }, index) => {
          this.unsettled.delete(job);
          this.journal.settled(this.type, job, end.report, settled[index] ?? 'unknown');
        });
      },
    };
  }

  /** Makes both sides agree on what stands under this worker. To be called while no call is under way. */
  reconcile(held: readonly Held[]): void {
    const known = new Map([...this.unsettled].map((job) => [nameOf(job), job]));
    for (const { ulid, token } of held) {
      if (known.delete(nameOf({ ulid, token }))) continue;
      this.logger.info({ job_id: formatJobId({ type: this.type, ulid }) }, 'job whose claim was lost goes back');
      this.strays.push({ ulid, token, settlement: { event: 'hand_back', delayMs: 0, neverBegan: true } });
    }
    for (const job of known.values()) {
      const running = this.runningOf(job);
      running?.run.abort('lease_lost');
      this.letGo(running);
    }
  }

  /** These were taken from this worker, in their new state: whatever their handlers still do, nothing is settled for them. */
  lose(taken: readonly StoredJob[]): void {
    for (const { ulid, record } of taken) {
      const running = this.runs.get(ulid);
      if (running?.job.record.runs !== record.runs) continue;
      this.concluded.add(running.job);
      this.unsettled.delete(running.job);
      this.cutOff(running);
      running.run.abort('lease_lost');
      this.letGo(running);
    }
  }

  cancel(ulid: string): void {
    this.runs.get(ulid)?.run.abort('cancelled');
  }

  /** As {@link cancel}; where the job is not here yet, its claim may be on its way on the other connection. */
  cancelOnceHere(ulid: string): void {
    if (this.runs.has(ulid)) this.cancel(ulid);
    else if (this.cancelledEarly.size < MAX_EARLY_CANCELS) this.cancelledEarly.add(ulid);
  }

  /** No claim is on its way. */
  nothingComes(): void {
    this.cancelledEarly.clear();
  }

  abortAll(cause: AbortCause): void {
    for (const { run } of this.runs.values()) run.abort(cause);
  }

  /** Jobs whose handlers have not ended go back to their line. */
  handBackAll(): void {
    for (const { job, run } of this.runs.values()) this.conclude(job, handedBack(run));
  }

  /** Says what is left to the lease. */
  abandon(): void {
    for (const job of this.unsettled)
      this.logger.warn(jobFields(this.type, job), 'job could not be settled before the shutdown, another worker will run it');
  }

  private cutOff(running: Running): void {
    if (running.cutOffAt !== undefined) return;
    running.cutOffAt = performance.now();
    this.journal.zombies(this.type, 1);
    this.events.onCutOff(running.job);
  }

  private letGo(running: Running | undefined): void {
    if (running === undefined || running.isLetGo) return;
    running.isLetGo = true;
    this.events.onBeyondRedis();
  }

  private runningOf(job: Claimed): Running | undefined {
    const running = this.runs.get(job.ulid);
    return running?.job === job ? running : undefined;
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

  /** The first end of a run is the one that is settled. */
  private conclude(job: Claimed, end: RunEnd): void {
    if (this.concluded.has(job)) return;
    this.concluded.add(job);
    this.ended.push({ job, end });
    this.events.onEnded();
  }
}

function nameOf({ ulid, token }: Held): string {
  return `${ulid}:${token.toString('latin1')}`;
}

function settleOf({ job, end }: Ended): Settle {
  return { ulid: job.ulid, token: job.token, settlement: end.settlement };
}
