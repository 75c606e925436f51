/** How many priorities there are; each has a list of its own. */
const PRIORITIES = 10;

/**
 * The names of all keys of one type. They share the hash tag `{type}`, so a Cluster keeps them together.
 * | key | kind | holds |
 * |---|---|---|
 * | `ready:<priority>` | list | entries of queued jobs: the ulid, or `ulid#generation` once it was moved |
 * | `scheduled`, `retrying` | sorted set | ulid by the time it is due |
 * | `running` | sorted set | ulid by the number of the worker that runs it |
 * | `leases` | sorted set | worker number by the time its lease ends |
 * | `succeeded`, `failed`, `cancelled`, `expired` | sorted set | ulid by the time it finished |
 * | `idle` | sorted set | worker number by the time it found nothing to do |
 * | `lanes` | hash | `worker:lane` → number of its last call |
 * | `workers` | hash | worker number → who it is |
 * | `ghosts` | set | entries still in a list whose job is no longer meant by them |
 * | `seq`, `clock` | string | enqueue sequence; offset of the clock in ms (tests only) |
 * | `job:<ulid>` | string | the record, see record.ts |
 * | `extra:<ulid>` | hash | what a job gathers: `result`, `run:<n>` |
 * | `dedupe:<key>` | string | `deadline ulid` |
 * | `wake:<worker>` | channel | tells an idle worker that there is work |
 */
export class TypeKeys {
  readonly clock: string;
  readonly seq: string;
  readonly scheduled: string;
  readonly retrying: string;
  readonly running: string;
  readonly leases: string;
  readonly lanes: string;
  readonly workers: string;
  readonly idle: string;
  readonly ghosts: string;
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
    this.seq = `${base}seq`;
    this.scheduled = `${base}scheduled`;
    this.retrying = `${base}retrying`;
    this.running = `${base}running`;
    this.leases = `${base}leases`;
    this.lanes = `${base}lanes`;
    this.workers = `${base}workers`;
    this.idle = `${base}idle`;
    this.ghosts = `${base}ghosts`;
    this.succeeded = `${base}succeeded`;
    this.failed = `${base}failed`;
    this.cancelled = `${base}cancelled`;
    this.expired = `${base}expired`;
    this.ready = Array.from({ length: PRIORITIES }, (_, priority) => `${base}ready:${priority}`);
  }

  job(ulid: string): string {
    return `${this.base}job:${ulid}`;
  }

  dedupe(key: string): string {
    return `${this.base}dedupe:${key}`;
  }

  wake(workerNumber: string): string {
    return `${this.base}wake:${workerNumber}`;
  }
}
