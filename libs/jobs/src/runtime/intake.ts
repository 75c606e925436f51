import type { Logger } from '@antrean/platform';
import type { Rouser } from '../services/rouser.js';
import type { Claimed } from '../store/exchange.js';
import { jobFields } from '../telemetry/job-journal.js';
import type { RegisteredHandler } from './handler-registry.js';
import { BEATS_PER_LEASE, type Heart } from './heart.js';
import type { InHand } from './in-hand.js';
import type { Answer } from './lane.js';
import type { SuspectPermit } from './suspect-permit.js';

/** A job claimed so long ago that this share of the lease is gone is not started. */
const LATEST_START = 0.75;

/** What the intakes of all types of a worker share. */
export interface IntakeContext {
  readonly options: { readonly leaseMs: number; readonly logger: Logger };
  readonly heart: Heart;
  readonly suspects: SuspectPermit;
  readonly rouser: Rouser;
  /** Told how soon the next waiting job of the type is due. */
  readonly onNextDue: (type: string, inMs: number) => void;
  /** Told that there are events of the type to be handed on. */
  readonly onOutgoing: (type: string) => void;
}

/** Takes in the jobs of one type that calls bring: starts those that may begin here and now, and gives back the others. */
export class Intake {
  /** The suspect that holds the permit. */
  private suspect: Claimed | undefined;

  /** @param onPermit told when the suspect that was left waiting can be asked for. */
  constructor(
    private readonly registered: RegisteredHandler,
    private readonly inHand: InHand,
    private readonly context: IntakeContext,
    private readonly onPermit: () => void,
  ) {}

  private get type(): string {
    return this.registered.definition.type;
  }

  /**
   * Since when the suspect that holds the permit is settled and its handler goes on all the same, in ms of the monotonic clock. It
   * keeps the permit: a killer may kill yet, and would take the next suspect to the grave.
   */
  get suspectZombieSince(): number | undefined {
    return this.suspect && this.inHand.zombieSince(this.suspect);
  }

  /** Whether a call may ask for a suspect too; then {@link over} is to be told when it is over. */
  askSuspects(): boolean {
    return this.context.suspects.take();
  }

  /**
   * How many handlers were started.
   * @param room no more than this are started.
   * @param asked for how many jobs the call asked, and whether for a suspect.
   */
  take({ reply, sentAt }: Answer, room: number, asked: { readonly jobs: number; readonly suspects: boolean }): number {
    const { heart, rouser, onNextDue, onOutgoing } = this.context;
    // Before a handler is started: the first may block the event loop at once, and the lease is to be kept all the same.
    if (reply.claimed.length + reply.unreadable.length > 0) heart.hold(this.type);
    let started = 0;
    for (const job of reply.claimed) {
      const isInTime = started < room && !this.isTooLate(job, performance.now() - sentAt);
      if (!isInTime) this.inHand.giveBack(job);
      else if (this.inHand.start(job)) {
        started += 1;
        if (asked.suspects && job.record.suspect) this.suspect = job;
      }
    }
    for (const job of reply.unreadable) this.inHand.reject(job);
    if (reply.suspectsWait) this.context.suspects.onceFree(this.onPermit);
    else if (asked.jobs > 0) this.context.suspects.forget(this.onPermit);
    if (this.inHand.unsettledCount === 0) heart.release(this.type);
    if (reply.woke) rouser.woke(this.type);
    if (reply.nextDueInMs !== undefined) onNextDue(this.type, reply.nextDueInMs);
    if (reply.hasOutgoing) onOutgoing(this.type);
    return started;
  }

  /** A call that asked for a suspect is over; without one, another type may ask. */
  over(): void {
    if (this.suspect === undefined) this.context.suspects.release();
  }

  /** The time of a run is over, and its handler goes on. */
  cutOff(job: Claimed): void {
    if (this.suspect !== job) return;
    this.context.options.logger.warn(
      jobFields(this.type, job),
      'a job that may be what kills its workers goes on past its time: until it ends no other such job runs here',
    );
  }

  /** The handler of a job has really ended. */
  gone(job: Claimed): void {
    if (this.suspect !== job) return;
    this.suspect = undefined;
    this.context.suspects.release();
  }

  /** Also a job whose run may have been settled as timed out in the meantime, because the event loop was blocked. */
  private isTooLate({ record }: Claimed, sinceClaimMs: number): boolean {
    const { leaseMs } = this.context.options;
    const hardLimitMs = record.timeoutMs + this.registered.definition.graceMs;
    return sinceClaimMs > Math.min(leaseMs * LATEST_START, Math.max(leaseMs / BEATS_PER_LEASE, hardLimitMs));
  }
}
