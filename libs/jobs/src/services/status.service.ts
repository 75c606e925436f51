import { Injectable } from '@nestjs/common';
import { QueueUnavailableError } from '../definition/errors.js';
import { JobCatalog } from '../definition/job-catalog.js';
import { parseJobId } from '../definition/job-id.js';
import { isFinal } from '../definition/job-status.js';
import { availableToRead } from '../store/availability.js';
import { depth, type Depth } from '../store/depth.js';
import { Link } from '../store/link.js';
import { readLog } from '../store/log.js';
import { presentWorkers, type PresentWorker } from '../store/presence.js';
import { read } from '../store/read.js';
import { describeJob, describeLine } from './describe-job.js';
import { JobEnds, type WaitLimits } from './job-ends.js';
import type { Job, LogLine } from './job.js';
import { redacted } from './redacted.js';

/** Who waits for a worker is told of a new one this late at most. */
const WORKERS_FRESH_MS = 1_000;

/**
 * How many jobs of a type are in each status, how long the oldest queued one has been due (null: none is queued), and how many ends
 * are still to be told.
 */
export interface QueueDepth extends Depth {
  readonly type: string;
}

@Injectable()
export class StatusService {
  private knownWorkers: readonly PresentWorker[] = [];
  private workersReadAt = -Infinity;

  constructor(
    private readonly link: Link,
    private readonly catalog: JobCatalog,
    private readonly ends: JobEnds,
  ) {}

  /**
   * The job as it is now; undefined when there is none (never was, or its retention is over).
   * @param reveal whether sensitive fields of the payload are shown. If not they read `[redacted]`, and so does the whole payload
   * of a type that is not in this application's catalog: nobody here knows what is sensitive in it.
   * @throws {QueueUnavailableError} within 2 s when Redis does not answer
   */
  async get(jobId: string, { reveal = false }: { readonly reveal?: boolean } = {}): Promise<Job | undefined> {
    const id = parseJobId(jobId);
    if (id === undefined) return undefined;
    const snapshot = await availableToRead(this.link, () => read(this.link, id.type, id.ulid));
    if (snapshot === undefined) return undefined;
    const job = describeJob(id, snapshot, snapshot.record.status === 'queued' ? await this.workersIfKnown() : []);
    return reveal ? job : redacted(this.catalog, job);
  }

  /**
   * The job as soon as its status is final; as it is when the time is over, the signal aborts or the application shuts down
   * first; undefined when there is none or it is removed meanwhile. Shown as by {@link get}.
   * @throws {QueueUnavailableError} within 2 s when Redis does not answer at the first look, or when the wait is over. An outage
   * in between is waited out.
   */
  async wait(
    jobId: string,
    { timeoutMs, signal, reveal = false }: WaitLimits & { readonly reveal?: boolean },
  ): Promise<Job | undefined> {
    const until = performance.now() + timeoutMs;
    const id = parseJobId(jobId);
    let job = await this.get(jobId, { reveal });
    while (id !== undefined && job !== undefined && !isFinal(job.status)) {
      if (!(await this.ends.next(id, { timeoutMs: until - performance.now(), signal }))) return this.get(jobId, { reveal });
      const before = job;
      job = await this.get(jobId, { reveal }).catch((error: unknown) => {
        if (error instanceof QueueUnavailableError) return before;
        throw error;
      });
    }
    return job;
  }

  /**
   * The lines that handlers wrote to the job's log, oldest first, the latest 200; undefined when there is no such job.
   * @throws {QueueUnavailableError} within 2 s when Redis does not answer
   */
  async logs(jobId: string): Promise<readonly LogLine[] | undefined> {
    const id = parseJobId(jobId);
    if (id === undefined) return undefined;
    return (await availableToRead(this.link, () => readLog(this.link, id.type, id.ulid)))?.map(describeLine);
  }

  /**
   * The live workers, as they were at most a second ago.
   * @throws {QueueUnavailableError} within 2 s when Redis does not answer
   */
  async workers(): Promise<readonly PresentWorker[]> {
    if (performance.now() - this.workersReadAt > WORKERS_FRESH_MS) {
      this.knownWorkers = await availableToRead(this.link, () => presentWorkers(this.link));
      this.workersReadAt = performance.now();
    }
    return this.knownWorkers;
  }

  /** @throws {QueueUnavailableError} within 2 s when Redis does not answer */
  async depth(type: string): Promise<QueueDepth> {
    return { type, ...(await availableToRead(this.link, () => depth(this.link, type))) };
  }

  /** Undefined where nobody knows: the part of a Cluster that has them may be away while that of a job is not. */
  private async workersIfKnown(): Promise<readonly PresentWorker[] | undefined> {
    try {
      return await this.workers();
    } catch (error) {
      if (error instanceof QueueUnavailableError) return undefined;
      throw error;
    }
  }
}
