import { closeRedis, connectRedis, waitUntilReady, type RedisConnection } from '@antrean/platform';
import { Link, setClockOffset } from '@antrean/jobs/testing';
import { newUlid } from '../../libs/jobs/src/store/new-ulid.js';
import { cancel } from '../../libs/jobs/src/store/cancel.js';
import { crashOverdue } from '../../libs/jobs/src/store/crash-overdue.js';
import { depth, type Depth } from '../../libs/jobs/src/store/depth.js';
import { enqueue, type Enqueued, type NewJob } from '../../libs/jobs/src/store/enqueue.js';
import { exchange, type ExchangeCall, type ExchangeReply, type Settle } from '../../libs/jobs/src/store/exchange.js';
import { note, type Note } from '../../libs/jobs/src/store/note.js';
import type { Once } from '../../libs/jobs/src/store/once.js';
import type { Overdue } from '../../libs/jobs/src/store/overdue.js';
import { promote, type Promotion } from '../../libs/jobs/src/store/promote.js';
import { read, type Snapshot } from '../../libs/jobs/src/store/read.js';
import { reap, type Reaped } from '../../libs/jobs/src/store/reap.js';
import { remove } from '../../libs/jobs/src/store/remove.js';
import { replay, type Replay, type Replayed } from '../../libs/jobs/src/store/replay.js';
import { MAX_JOBS_PER_CALL } from '../../libs/jobs/src/store/bounds.js';
import { rouse } from '../../libs/jobs/src/store/rouse.js';
import { sweep, type Swept } from '../../libs/jobs/src/store/sweep.js';
import { encodeNewRecord, flagsOf, type NewRecord } from '../../libs/jobs/src/store/record.js';
import { newWorkerIdentity } from '../../libs/jobs/src/runtime/worker-identity.js';
import { REDIS_URL, newKeyPrefix, silentLogger } from './shared-redis.js';
import { ANY_PACE } from './any-pace.js';

export const LEASE_MS = 30_000;

/** What a test says about a job; the rest is plain. */
export interface JobPlan extends Partial<Omit<NewRecord, 'payloadJson'>> {
  readonly ulid?: string;
  readonly when?: NewJob['when'];
  readonly expiresInMs?: number;
  readonly dedupeTtlMs?: number;
  readonly once?: Once;
  readonly payloadJson?: string;
}

export type CallPlan = Partial<Pick<ExchangeCall, 'want' | 'suspects' | 'version' | 'keepFinished' | 'keepFailed'>> & {
  readonly lane?: 0 | 1;
  /** Sends a call under this number instead of the lane's next. */
  readonly call?: number;
  readonly settles?: readonly Settle[];
};

/** A job as it is enqueued, with what it was made from. */
export interface PlannedJob extends NewJob {
  readonly plan: NewRecord;
}

/** The queue of one type as the scripts see it, without the runtime around it. */
export class StoredQueue {
  private types = 0;

  private constructor(
    readonly link: Link,
    private readonly keyPrefix: string,
    readonly type: string,
  ) {}

  /** The queue of a type that an application serves, on its connection. */
  static of(link: Link, type: string): StoredQueue {
    return new StoredQueue(link, link.keyPrefix, type);
  }

  static async open(url = REDIS_URL): Promise<StoredQueue> {
    const redis = connectRedis(url, { name: 'antrean-test', logger: silentLogger, commandTimeoutMs: 10_000 });
    if (!(await waitUntilReady(redis, 10_000))) throw new Error(`There is no Redis at ${url}.`);
    const keyPrefix = newKeyPrefix();
    return new StoredQueue(new Link(redis, keyPrefix), keyPrefix, 'stored.run');
  }

  get redis(): RedisConnection {
    return this.link.redis;
  }

  get keys(): ReturnType<Link['keys']> {
    return this.link.keys(this.type);
  }

  /** The queue of another type, empty yet, on the same connection. */
  another(): StoredQueue {
    this.types += 1;
    return new StoredQueue(this.link, this.keyPrefix, `${this.type}.${this.types}`);
  }

  /** Removes all that was stored and closes the connection. */
  async close(): Promise<void> {
    let cursor = '0';
    do {
      // Tests run on one server, not on a Cluster.
      const [next, keys] = (await this.redis.call('SCAN', cursor, 'MATCH', `${this.keyPrefix}:*`, 'COUNT', 1_000)) as [
        string,
        string[],
      ];
      if (keys.length > 0) await this.redis.unlink(...keys);
      cursor = next;
    } while (cursor !== '0');
    closeRedis(this.redis);
  }

  newJob({ ulid = newUlid(), when, expiresInMs, dedupeTtlMs = 0, once, ...record }: JobPlan = {}): PlannedJob {
    const plan: NewRecord = {
      priority: 5,
      maxAttempts: 5,
      timeoutMs: 30_000,
      payloadVersion: 1,
      fingerprint: 0,
      trace: { traceId: '0af7651916cd43dd8448eb211c80319c', parentId: 'b7ad6b7169203331', flags: 1 },
      dedupe: undefined,
      facts: {},
      payloadJson: '{}',
      ...record,
    };
    return { ulid, when, expiresInMs, dedupeTtlMs, once, flags: flagsOf(plan), plan, record: encodeNewRecord(plan) };
  }

  /** Enqueues jobs in calls of 250 and answers with their ulids. */
  async add(plans: readonly JobPlan[]): Promise<string[]> {
    const jobs = plans.map((plan) => this.newJob(plan));
    const answers: Enqueued[] = [];
    for (let i = 0; i < jobs.length; i += MAX_JOBS_PER_CALL)
      answers.push(...(await this.enqueue(jobs.slice(i, i + MAX_JOBS_PER_CALL))));
    const refused = answers.find(({ kind }) => kind !== 'accepted');
    if (refused !== undefined) throw new Error(`A job was not accepted: ${JSON.stringify(refused)}`);
    return jobs.map(({ ulid }) => ulid);
  }

  async enqueue(jobs: readonly NewJob[], maxEvents?: number): Promise<readonly Enqueued[]> {
    return (await enqueue(this.link, this.type, jobs, maxEvents)).answers;
  }

  /** Enqueues jobs in one call; whether a worker was woken. */
  async wakesFor(plans: readonly JobPlan[]): Promise<boolean> {
    const jobs = plans.map((plan) => this.newJob(plan));
    return (await enqueue(this.link, this.type, jobs)).woke;
  }

  async read(ulid: string): Promise<Snapshot> {
    const snapshot = await this.find(ulid);
    if (snapshot === undefined) throw new Error(`There is no job ${ulid}.`);
    return snapshot;
  }

  find(ulid: string): Promise<Snapshot | undefined> {
    return read(this.link, this.type, ulid);
  }

  depth(): Promise<Depth> {
    return depth(this.link, this.type);
  }

  promote(limit = MAX_JOBS_PER_CALL, keepFinished = true): Promise<Promotion> {
    return promote(this.link, this.type, { limit, keepFinished, pace: ANY_PACE });
  }

  reap({
    limit = MAX_JOBS_PER_CALL,
    maxCrashes = 3,
    graceMs = 5_000,
    keepFinished = true,
    keepFailed = true,
  } = {}): Promise<Reaped> {
    const { type } = this;
    return reap(this.link, {
      type,
      limit,
      maxCrashes,
      graceMs,
      keepFinished,
      keepFailed,
      crashJson: '{}',
      poisonJson: '{}',
    });
  }

  crashOverdue(
    { identity }: StoredWorker,
    {
      offset = 0,
      limit = MAX_JOBS_PER_CALL,
      maxCrashes = 3,
      blameShared = false,
      graceMs = 5_000,
      keepFinished = true,
      keepFailed = true,
    } = {},
  ): Promise<Overdue> {
    return crashOverdue(this.link, {
      type: this.type,
      workerNumber: identity.number,
      ...{ offset, limit, maxCrashes, blameShared, graceMs, keepFinished, keepFailed },
      crashJson: '{}',
      poisonJson: '{}',
    });
  }

  cancel(ulids: readonly string[]): ReturnType<typeof cancel> {
    return cancel(this.link, this.type, ulids);
  }

  replay(ulid: string, plan: Partial<Omit<Replay, 'ulid'>> = {}): Promise<Replayed | undefined> {
    return replay(this.link, this.type, [{ ulid, dedupeTtlMs: 0, record: undefined, ...plan }]).then(
      ({ answers: [answer] }) => answer,
    );
  }

  rouse(): Promise<boolean> {
    return rouse(this.link, this.type);
  }

  remove(ulids: readonly string[]): ReturnType<typeof remove> {
    return remove(this.link, this.type, ulids);
  }

  note(notes: readonly Note[]): Promise<readonly boolean[]> {
    return note(this.link, this.type, notes);
  }

  sweep(retentionMs: number, deadRetentionMs: number, { limit = MAX_JOBS_PER_CALL, maxFailed = 1_000_000 } = {}): Promise<Swept> {
    return sweep(this.link, { type: this.type, retentionMs, deadRetentionMs, limit, maxFailed });
  }

  moveClock(ms: number): Promise<void> {
    return setClockOffset(this.redis, this.keyPrefix, this.type, ms);
  }

  /** Resolves in a later millisecond than the one it was called in: of two things in one nobody knows which came first. */
  async nextMillisecond(): Promise<void> {
    const millisecond = async (): Promise<number> => Math.floor(Number((await this.redis.time())[1]) / 1_000);
    const called = await millisecond();
    while ((await millisecond()) === called);
  }

  /** Makes the facts of a job unreadable; it must have some. */
  async spoilFacts(ulid: string): Promise<void> {
    const key = this.keys.job(ulid);
    const facts = ((await this.redis.getBuffer(key)) ?? Buffer.alloc(0)).indexOf('{"');
    if (facts < 0) throw new Error(`${ulid} has no facts.`);
    await this.redis.setrange(key, facts, '~');
  }

  newWorker(): StoredWorker {
    return new StoredWorker(this);
  }
}

/** A worker that does nothing but call. */
export class StoredWorker {
  readonly identity = newWorkerIdentity();
  private readonly calls = [0, 0];

  constructor(private readonly queue: StoredQueue) {}

  get number(): string {
    return String(this.identity.number);
  }

  /** The number of the latest call on a lane. */
  lastCall(lane: 0 | 1 = 0): number {
    return this.calls[lane] ?? 0;
  }

  exchange({
    lane = 0,
    call,
    want = 0,
    suspects = true,
    version = 1,
    keepFinished = true,
    keepFailed = true,
    settles = [],
  }: CallPlan): Promise<ExchangeReply> {
    const number = call ?? this.lastCall(lane) + 1;
    this.calls[lane] = Math.max(this.lastCall(lane), number);
    return exchange(this.queue.link, {
      type: this.queue.type,
      worker: this.identity,
      lane,
      call: number,
      leaseMs: LEASE_MS,
      want,
      suspects,
      version,
      keepFinished,
      keepFailed,
      settles,
    });
  }
}
