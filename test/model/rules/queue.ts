import type { Job, Status, Submit } from './job.js';
import { isFinal, workerOf } from './job.js';
import { eventOf, type Event } from './outgoing.js';
import type { OnceRecord } from './once.js';
import type { Tally } from '../tally.js';

/** What a type's definition says. */
export interface Policy {
  /** So many crashes in a row, without another end of a run or a checkpoint in between, bury a job. */
  readonly maxCrashes: number;
  /** After a run's timeout it is over, whatever the handler does. */
  readonly graceMs: number;
  readonly leaseMs: number;
}

/** So many crashes in all a job outlives if it gets on in between; one more buries it. */
export const MOST_CRASHES = 10;

/** A worker's right to all jobs of the type that it runs. */
export interface Lease {
  endsAt: number;
  /** It is over, and some of the jobs have been taken away. */
  beingReaped: boolean;
}

/** What a worker that waits to be told asked for, and since when it waits (0: it is to be told after all others). */
export interface Idle {
  readonly version: number;
  readonly suspects: boolean;
  readonly since: number;
}

/** Who took a dedupe key last, and until when it is held whatever becomes of the job (0: the job's status decides). */
export interface Taker {
  readonly ulid: string;
  readonly submit: Submit;
  readonly deadline: number;
}

/**
 * The queue of one type, as the guarantees in engine.md describe it: which jobs there are, who is next, who has a right to
 * what. It knows neither keys nor scripts. The files beside this one state, for each thing that can be done to a queue,
 * which answers are allowed and what must be true of every job afterwards:
 *
 * - submit.ts, once.ts, dedupe.ts: what is accepted, and what is answered instead
 * - exchange.ts, settle.ts, claim.ts: the numbered calls of a worker; how runs end; who may run
 * - lease.ts: heartbeat, reaping, crashes, runs past their limit
 * - time.ts: promotion and expiry
 * - control.ts: cancel, replay, remove
 * - notes.ts: what a running handler writes
 * - outgoing.ts: what is told of ends, and until when it is kept
 * - retention.ts: what the sweep removes
 *
 * Where the engine is free to choose (whose jobs are reaped first, how far a bounded call gets), the rule takes the answer and
 * says whether it was allowed; everywhere else it returns the one answer that is right.
 */
export class Queue {
  readonly jobs = new Map<string, Job>();
  /** By priority: who waits in the line, the next one first. */
  readonly lines: string[][] = Array.from({ length: 10 }, () => []);
  /** Queued jobs that are one crash short of their burial. */
  readonly suspects: string[] = [];
  /** Queued jobs that stand aside, because a worker came across them that cannot read their payload. */
  readonly parked = new Set<string>();
  readonly leases = new Map<string, Lease>();
  /** `worker:lane` → number of its latest call. */
  readonly lanes = new Map<string, number>();
  /** By dedupe key. */
  readonly takers = new Map<string, Taker>();
  /** By once key. */
  readonly once = new Map<string, OnceRecord>();
  /** Workers that asked in vain and wait to be told. */
  readonly idle = new Map<string, Idle>();
  /** Ends of jobs that are still to be told, the oldest first. */
  readonly outgoing: Event[] = [];
  seq = 0;

  constructor(
    readonly policy: Policy,
    readonly tally: Tally,
  ) {}

  /** Another queue in the same state. */
  fork(): Queue {
    const { policy, tally, ...state } = this;
    return Object.assign(new Queue(policy, tally), structuredClone(state));
  }

  /** One change of a job, which is one new revision of it. */
  change(job: Job, event: string, to: Status = job.status): void {
    if (to !== job.status || event === 'cancel') this.tally.saw(`${event}: ${job.status} → ${to}`);
    job.status = to;
    job.revision += 1;
  }

  isSuspect({ crashes, crashesInAll }: Job): boolean {
    return (crashes > 0 && crashes === this.policy.maxCrashes - 1) || crashesInAll === MOST_CRASHES;
  }

  /** Work went on since the last crash. The crashes in all go on counting. */
  endRow(job: Job, why: string): void {
    if (job.crashes > 0) this.tally.saw(`crashes forgotten for ${why}`);
    job.crashes = 0;
  }

  joinLine(job: Job, end: 'front' | 'back'): void {
    const line = this.isSuspect(job) ? this.suspects : this.lines[job.submit.priority];
    if (end === 'front') line?.unshift(job.submit.ulid);
    else line?.push(job.submit.ulid);
  }

  leaveLine({ submit: { ulid } }: Job): void {
    for (const line of [this.suspects, ...this.lines]) {
      const place = line.indexOf(ulid);
      if (place >= 0) line.splice(place, 1);
    }
    this.parked.delete(ulid);
  }

  /** The jobs that stand under a worker. */
  heldBy(worker: string): Job[] {
    return [...this.jobs.values()].filter(
      ({ status, token }) => status === 'processing' && token !== undefined && workerOf(token) === worker,
    );
  }

  /** Ends a job for good. One that is not to be kept is gone with all that belongs to it, but for what is told of its end. */
  end(job: Job, event: string, status: Status, now: number, keep: boolean, result = ''): void {
    this.leaveLine(job);
    this.change(job, event, status);
    job.finishedAt = now;
    if (job.submit.webhook.some((asked) => asked === status)) this.outgoing.push(eventOf(job, result, this.tally));
    else if (job.submit.webhook.length > 0) this.tally.saw('end that no webhook asks for');
    if (status === 'cancelled') this.free(job);
    if (!keep) this.jobs.delete(job.submit.ulid);
  }

  /** The job gives its dedupe key up, if nobody took it over. */
  free({ submit: { dedupe, ulid } }: Job): void {
    if (dedupe === undefined || this.takers.get(dedupe.key)?.ulid !== ulid) return;
    this.takers.delete(dedupe.key);
    this.tally.saw(`dedupe freed: ${dedupe.policy}`);
  }

  finished(status: Status): Job[] {
    return [...this.jobs.values()].filter((job) => isFinal(job) && job.status === status).sort(byFinish);
  }
}

const byFinish = (a: Job, b: Job): number => a.finishedAt - b.finishedAt || (a.submit.ulid < b.submit.ulid ? -1 : 1);
