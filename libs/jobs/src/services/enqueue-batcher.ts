import { Injectable } from '@nestjs/common';
import { MAX_BYTES_PER_CALL, MAX_JOBS_PER_CALL } from '../store/bounds.js';
import { enqueue, type Enqueued, type NewJob } from '../store/enqueue.js';
import { available } from '../store/availability.js';
import { QueueUnavailableError } from '../definition/errors.js';
import { formatJobId } from '../definition/job-id.js';
import { Link } from '../store/link.js';

interface Waiting {
  readonly job: NewJob;
  readonly resolve: (enqueued: Enqueued) => void;
  readonly reject: (reason: unknown) => void;
}

/** Sends the jobs that are submitted within one turn of the event loop together, a call a type. */
@Injectable()
export class EnqueueBatcher {
  private readonly waiting = new Map<string, Waiting[]>();

  constructor(private readonly link: Link) {}

  add(type: string, job: NewJob): Promise<Enqueued> {
    return new Promise((resolve, reject) => {
      const entry = { job, resolve, reject };
      const queue = this.waiting.get(type);
      if (queue !== undefined) {
        queue.push(entry);
        return;
      }
      this.waiting.set(type, [entry]);
      setImmediate(() => {
        this.flush(type);
      });
    });
  }

  /** Sends many jobs of a type at once. In their order what became of each: an error where its call failed. */
  async addAll(type: string, jobs: readonly NewJob[]): Promise<readonly (Enqueued | { readonly error: unknown })[]> {
    return (await Promise.all(split(jobs, (job) => job).map((batch) => this.sendAll(type, batch)))).flat();
  }

  private async sendAll(type: string, jobs: readonly NewJob[]): Promise<readonly (Enqueued | { readonly error: unknown })[]> {
    try {
      return await available(this.link, () => enqueue(this.link, type, jobs));
    } catch (error) {
      return jobs.map(({ ulid }) => ({ error: withJobId(error, formatJobId({ type, ulid })) }));
    }
  }

  private flush(type: string): void {
    const entries = this.waiting.get(type) ?? [];
    this.waiting.delete(type);
    for (const batch of split(entries, ({ job }) => job)) void this.send(type, batch);
  }

  /** Never rejects: what goes wrong is told to those who wait for the jobs of the batch. */
  private async send(type: string, batch: readonly Waiting[]): Promise<void> {
    try {
      const jobs = batch.map(({ job }) => job);
      const answers = await available(this.link, () => enqueue(this.link, type, jobs));
      answers.forEach((answer, index) => batch[index]?.resolve(answer));
    } catch (error) {
      for (const { job, reject } of batch) reject(withJobId(error, formatJobId({ type, ulid: job.ulid })));
    }
  }
}

/** Each submitter is told which job it should look for. */
function withJobId(error: unknown, jobId: string): unknown {
  return error instanceof QueueUnavailableError ? new QueueUnavailableError(error.outcome, jobId, { cause: error.cause }) : error;
}

/** Cuts a list into calls that are small enough. */
function split<T>(entries: readonly T[], jobOf: (entry: T) => NewJob): T[][] {
  const batches: T[][] = [];
  let batch: T[] = [];
  let bytes = 0;
  for (const entry of entries) {
    const { length } = jobOf(entry).record;
    if (batch.length === MAX_JOBS_PER_CALL || (batch.length > 0 && bytes + length > MAX_BYTES_PER_CALL)) {
      batches.push(batch);
      batch = [];
      bytes = 0;
    }
    batch.push(entry);
    bytes += length;
  }
  return batch.length > 0 ? [...batches, batch] : batches;
}
