export type Status = 'scheduled' | 'queued' | 'processing' | 'retrying' | 'succeeded' | 'failed' | 'cancelled' | 'expired';

export type End = Extract<Status, 'succeeded' | 'failed' | 'cancelled' | 'expired'>;

export type DedupePolicy = 'ttl' | 'until_started' | 'until_finished' | 'until_result_expires';

/** `worker:lane:call` of the claim that a run came from. It never repeats. */
export type Token = string;

export const workerOf = (token: Token): string => token.slice(0, token.indexOf(':'));

/** What a submitter decides. Times of day and durations are ms everywhere. */
export interface Submit {
  readonly ulid: string;
  readonly priority: number;
  readonly maxAttempts: number;
  readonly timeoutMs: number;
  readonly version: number;
  readonly payload: string;
  readonly traceId: string;
  readonly when: { readonly delayMs: number } | { readonly atMs: number } | undefined;
  /** It may wait for so long; 0: for ever. */
  readonly deadlineMs: number;
  /** `ttlMs` is for the policy `ttl`, else 0. */
  readonly dedupe: { readonly key: string; readonly policy: DedupePolicy; readonly ttlMs: number } | undefined;
  readonly once: { readonly key: string; readonly body: string; readonly ttlMs: number } | undefined;
  /** The ends that are to be told. */
  readonly webhook: readonly End[];
}

/** One run in a job's trail, once it has ended. */
export interface Run {
  readonly outcome: 'succeeded' | 'failed' | 'timed_out' | 'snoozed' | 'crashed' | 'handed_back' | 'cancelled';
  readonly worker: string;
  readonly startedAt: number;
  readonly endedAt: number;
  /** 0: it is not to run again. */
  readonly nextAt: number;
  readonly error: string;
}

/** What a handler told of its job, and when. */
export interface Told {
  readonly at: number;
  readonly json: string;
}

/** All that is recorded of a job. */
export interface Job {
  readonly submit: Submit;
  payload: string;
  version: number;
  status: Status;
  /** Runs that count against the attempts. */
  attempt: number;
  /** All runs. */
  runs: number;
  /** In a row: since a run last ended by itself, or came to another checkpoint. */
  crashes: number;
  crashesInAll: number;
  snoozes: number;
  replays: number;
  /** One more with every change. */
  revision: number;
  /** Its number among all that joined a line of the type. */
  seq: number;
  createdAt: number;
  dueAt: number;
  /** Of the latest run; 0: none since it was submitted or replayed. */
  startedAt: number;
  /** Of the run before the latest, which counts again when the latest never began. */
  startedBeforeAt: number;
  /** 0: not yet. */
  finishedAt: number;
  /** 0: it may wait for ever. */
  expiresAt: number;
  /** Of the latest run; undefined once the run was taken away from its worker, or before the first. */
  token: Token | undefined;
  /** When a run of it was asked to stop; 0: never. */
  cancelAskedAt: number;
  /** By number. */
  readonly trail: Map<number, Run>;
  result: string | undefined;
  progress: Told | undefined;
  checkpoint: string | undefined;
  readonly steps: Map<string, string>;
  readonly log: Told[];
}

const FINAL: ReadonlySet<Status> = new Set<Status>(['succeeded', 'failed', 'cancelled', 'expired']);

export const isFinal = ({ status }: Job): boolean => FINAL.has(status);

export const isWaiting = ({ status }: Job): boolean => status === 'scheduled' || status === 'queued' || status === 'retrying';

export const isExpired = (job: Job, now: number): boolean => job.expiresAt !== 0 && job.expiresAt <= now;

/** The run that the token was given for goes on. */
export const isLive = (job: Job | undefined, token: Token): job is Job => job?.status === 'processing' && job.token === token;
