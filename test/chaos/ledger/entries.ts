import type { Fate } from '../job.js';
import type { FaultKind } from '../fault-plan.js';

/** A submit that was answered with 202. Written by who submits. */
export interface Accepted {
  readonly jobId: string;
  readonly number: number;
  readonly fate: Fate;
  /** Its end is to be told to a webhook. */
  readonly webhook: boolean;
}

/** A submit whose answer did not come, or was 503; it is sent again. Written by who submits. */
export interface Unanswered {
  /** The name of the api's place, such as `api-1`. */
  readonly api: string;
}

/** A handler begins or ends. Written by the handler itself. */
export interface RunNote {
  readonly run: string;
  readonly jobId: string;
  readonly number: number;
  /** The process, such as `worker-2.3`: the third in the second place. */
  readonly process: string;
  readonly worker: string;
  readonly what: 'start' | 'succeeded' | 'failed' | 'aborted';
}

/** A worker held a job, as Redis' own structures said. Written by who observes Redis. */
export interface Hold {
  readonly jobId: string;
  readonly worker: string;
  readonly firstSeenMs: number;
  readonly lastSeenMs: number;
  /** When the worker's lease would end, as seen last. */
  readonly leaseEndMs: number;
}

/** What became of a job. Written by who reads at the end. */
export interface Final {
  readonly jobId: string;
  /** `absent` when the api does not know the job. */
  readonly status: string;
  readonly errorCode: string | null;
}

/** The message of a webhook came. Written by who receives them, before it answers. */
export interface Delivery {
  /** The same however often the message comes. */
  readonly messageId: string;
  readonly jobId: string;
  /** Such as `job.succeeded`. */
  readonly event: string;
}

/** Redis refused a call that brings jobs in, or claims and settles them; it is made again. Written by who stands between Redis and its clients. */
export interface Refusal {
  readonly error: 'OOM' | 'NOSCRIPT';
}

/** A fault that took place. Written by who causes them. */
export interface Fault {
  readonly kind: FaultKind;
  readonly fromMs: number;
  readonly untilMs: number;
  /** The processes that it hit, such as `worker-2.3` or `api-1.1`; undefined: all. */
  readonly processes: readonly string[] | undefined;
  /** For a kill of Redis: writes from then on, up to the kill, were lost. */
  readonly lostFromMs?: number;
}

/** What each ledger holds. */
export interface Ledgers {
  accepted: Accepted;
  unanswered: Unanswered;
  runs: RunNote;
  holds: Hold;
  finals: Final;
  deliveries: Delivery;
  refusals: Refusal;
  faults: Fault;
}

/** An entry and when it was written, by the clock of the ledger's Redis. */
export type Entry<T> = T & { readonly atMs: number };
