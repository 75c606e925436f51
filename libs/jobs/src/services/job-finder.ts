import { Inject, Injectable } from '@nestjs/common';
import { formatJobId, type JobId } from '../definition/job-id.js';
import type { JobStatus } from '../definition/job-status.js';
import { availableToRead } from '../store/availability.js';
import { Link } from '../store/link.js';
import { read, type Snapshot } from '../store/read.js';
import { UnreadableRecordError, type JobRecord } from '../store/record.js';
import { describeJob } from './describe-job.js';
import { hasTraits, type JobTraits } from './job-traits.js';
import type { Job } from './job.js';
import { PRODUCER_OPTIONS, type ProducerOptions } from './producer-options.js';

/** Read at the same time. */
const SLICE = 16;
/** Who has read this much looks at no further job: a page is to fit into memory, and into an answer. */
const MOST_BYTES = 4 * 1_048_576;

export interface JobSearch extends JobTraits {
  /** Since an index was read, a job may have gone on, or away. */
  readonly status: JobStatus;
  /** Ends with the last of so many that fit. */
  readonly most?: number;
}

export interface FoundJob {
  readonly ulid: string;
  readonly record: JobRecord;
  readonly job: Job;
}

export interface Found {
  readonly jobs: readonly FoundJob[];
  /** How many of the jobs it was given were looked at, from the first on; one at least, if there is any. */
  readonly looked: number;
}

/** Reads many jobs to find those that fit. */
@Injectable()
export class JobFinder {
  constructor(
    private readonly link: Link,
    @Inject(PRODUCER_OPTIONS) private readonly options: ProducerOptions,
  ) {}

  /**
   * Those that fit, in the order of their ids. One that cannot be read is logged and left out: it is not to hide all others.
   * @throws {QueueUnavailableError} within 2 s when Redis does not answer
   */
  async find(ids: readonly JobId[], { status, most = Infinity, ...traits }: JobSearch): Promise<Found> {
    const jobs: FoundJob[] = [];
    let bytes = 0;
    for (let start = 0; start < ids.length; start += SLICE) {
      const slice = await Promise.all(ids.slice(start, start + SLICE).map((id) => this.look(id)));
      for (const [index, seen] of slice.entries()) {
        bytes += seen?.bytes ?? 0;
        if (seen?.job.status === status && hasTraits(seen.job, traits)) jobs.push(seen);
        if (jobs.length >= most || bytes >= MOST_BYTES) return { jobs, looked: start + index + 1 };
      }
    }
    return { jobs, looked: ids.length };
  }

  private async look(id: JobId): Promise<(FoundJob & { readonly bytes: number }) | undefined> {
    try {
      const snapshot = await availableToRead(this.link, () => read(this.link, id.type, id.ulid));
      if (snapshot === undefined) return undefined;
      return { ulid: id.ulid, record: snapshot.record, job: describeJob(id, snapshot, []), bytes: bytesOf(snapshot) };
    } catch (error) {
      if (!(error instanceof UnreadableRecordError)) throw error;
      this.options.logger.error({ job_id: formatJobId(id), job_type: id.type, err: error }, 'job cannot be read, it is left out');
      return undefined;
    }
  }
}

/** About: characters stand for bytes, what counts is the order of magnitude. */
function bytesOf({ record, extra }: Snapshot): number {
  return [...extra.values()].reduce((sum, text) => sum + text.length, record.payloadJson.length);
}
