/** How many priorities there are; each has a list of its own. */
const PRIORITIES = 10;

/**
 * The names of all keys of one type. They share the hash tag `{type}`, so a Cluster keeps them together.
 * | key | kind | holds |
 * |---|---|---|
 * | `ready:<priority>` | list | entries of queued jobs: the ulid, or `ulid#generation` once it was moved |
 * | `scheduled`, `retrying` | sorted set | ulid by the time it is due |
 * | `suspects` | list | entries of queued jobs that are one crash short of their burial |
 * | `parked` | sorted set | ulid of queued jobs whose payload no worker seen so far reads, by its version |
 * | `expiring` | sorted set | ulid of waiting jobs by the time they expire |
 * | `running` | sorted set | ulid by the number of the worker that runs it |
 * | `leases` | sorted set | worker number by the time its lease ends |
 * | `succeeded`, `failed`, `cancelled`, `expired` | sorted set | ulid by the time it finished |
 * | `idle` | sorted set | worker number by the time it found nothing to do; 0: to be woken after all others; negative: nobody heard the wake-up |
 * | `cancels` | set | ulid of running jobs that are asked to stop |
 * | `lanes` | hash | `worker:lane` → number of its last call |
 * | `workers` | hash | worker number → payload version it reads, length of its lease in ms, who it is |
 * | `ghosts` | set | entries still in a list whose job is no longer meant by them |
 * | `outgoing` | list | what is to be told of ends of jobs, see finish.lua |
 * | `seq`, `clock` | string | enqueue sequence; offset of the clock in ms (tests only) |
 * | `pace` | string | `window count`: how many jobs were promoted within the latest window of time |
 * | `layout` | string | which layout the keys are in, see layout.ts |
 * | `origin` | string | names the data in Redis, see census.lua |
 * | `replicated` | string | nothing; what a replica has that was written after jobs were, see replicated.ts |
 * | `job:<ulid>` | string | the record, see record.ts |
 * | `extra:<ulid>` | hash | what a job gathers: `result`, `progress`, `checkpoint`, `cancel`, `run:<n>`, `step:<name>` |
 * | `log:<ulid>` | list | its latest log lines |
 * | `dedupe:<key>` | string | `deadline ulid` |
 * | `once:<key>` | string | the first answer to a submit under the key, see once.lua |
 * | `wake:<worker>` | channel | tells a worker that there is work (``), that there are events (`outgoing`), or which job is to stop (its ulid) |
 * | `ended:<ulid>` | channel | tells who waits for a job that it has ended |
 */
export class TypeKeys {
  readonly clock: string;
  readonly layout: string;
  readonly origin: string;
  readonly pace: string;
  readonly replicated: string;
  readonly seq: string;
  readonly scheduled: string;
  readonly suspects: string;
  readonly parked: string;
  readonly expiring: string;
  readonly retrying: string;
  readonly running: string;
  readonly leases: string;
  readonly lanes: string;
  readonly workers: string;
  readonly idle: string;
  readonly ghosts: string;
  readonly cancels: string;
  readonly outgoing: string;
  readonly succeeded: string;
  readonly failed: string;
  readonly cancelled: string;
  readonly expired: string;
  /** By priority, 0 first. */
  readonly ready: readonly string[];
  private readonly base: string;

  constructor(
    prefix: string,
    readonly type: string,
  ) {
    const base = `${prefix}:{${type}}:`;
    this.base = base;
    this.clock = `${base}clock`;
    this.layout = `${base}layout`;
    this.origin = `${base}origin`;
    this.pace = `${base}pace`;
    this.replicated = `${base}replicated`;
    this.seq = `${base}seq`;
    this.scheduled = `${base}scheduled`;
    this.suspects = `${base}suspects`;
    this.parked = `${base}parked`;
    this.expiring = `${base}expiring`;
    this.retrying = `${base}retrying`;
    this.running = `${base}running`;
    this.leases = `${base}leases`;
    this.lanes = `${base}lanes`;
    this.workers = `${base}workers`;
    this.idle = `${base}idle`;
    this.ghosts = `${base}ghosts`;
    this.cancels = `${base}cancels`;
    this.outgoing = `${base}outgoing`;
    this.succeeded = `${base}succeeded`;
    this.failed = `${base}failed`;
    this.cancelled = `${base}cancelled`;
    this.expired = `${base}expired`;
    this.ready = Array.from({ length: PRIORITIES }, (_, priority) => `${base}ready:${priority}`);
  }

  job(ulid: string): string {
    return `${this.base}job:${ulid}`;
  }

  extra(ulid: string): string {
    return `${this.base}extra:${ulid}`;
  }

  log(ulid: string): string {
    return `${this.base}log:${ulid}`;
  }

  once(key: string): string {
    return `${this.base}once:${key}`;
  }

  dedupe(key: string): string {
    return `${this.base}dedupe:${key}`;
  }

  wake(workerNumber: string): string {
    return `${this.base}wake:${workerNumber}`;
  }

  ended(ulid: string): string {
    return `${this.base}ended:${ulid}`;
  }
}
