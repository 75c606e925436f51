import { Injectable } from '@nestjs/common';
import { parseJobId } from '../definition/job-id.js';
import { availableToRead } from '../store/availability.js';
import { depth, type Depth } from '../store/depth.js';
import { Link } from '../store/link.js';
import { read } from '../store/read.js';
import type { Job } from './job.js';
import { describeJob } from './describe-job.js';

/** How many jobs of a type are in each status, and how long the oldest queued one has been due (null: none is queued). */
export interface QueueDepth extends Depth {
  readonly type: string;
}

@Injectable()
export class StatusService {
  constructor(private readonly link: Link) {}

  /**
   * The job as it is now; undefined when there is none (never was, or its retention is over).
   * @throws {QueueUnavailableError} within 2 s when Redis does not answer
   */
  async get(jobId: string): Promise<Job | undefined> {
    const id = parseJobId(jobId);
    if (id === undefined) return undefined;
    const snapshot = await availableToRead(this.link, () => read(this.link, id.type, id.ulid));
    return snapshot === undefined ? undefined : describeJob(id, snapshot);
  }

  /** @throws {QueueUnavailableError} within 2 s when Redis does not answer */
  async depth(type: string): Promise<QueueDepth> {
    return { type, ...(await availableToRead(this.link, () => depth(this.link, type))) };
  }
}
