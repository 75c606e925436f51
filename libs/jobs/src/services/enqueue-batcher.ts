import { Inject, Injectable } from '@nestjs/common';
import { MAX_BYTES_PER_CALL, MAX_JOBS_PER_CALL } from '../store/bounds.js';
import { enqueue, type Enqueued, type NewJob } from '../store/enqueue.js';
import { available } from '../store/availability.js';
import { QueueUnavailableError } from '../definition/errors.js';
import { formatJobId } from '../definition/job-id.js';
import { Link } from '../store/link.js';
import { ReplicaGate } from '../store/replicated.js';
import { PRODUCER_OPTIONS, type ProducerOptions } from './producer-options.js';
import { Rouser } from './rouser.js';
import { SUBMIT_LINK } from './submit-link.js';

interface Entry {
  readonly job: NewJob;
}

/** What became of one job, or why its call failed. */
export type Outcome = Enqueued | { readonly error: unknown };

interface Waiting extends Entry {
  readonly resolve: (enqueued: Enqueued) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Sends a job at once while no call of its type is under way; else it waits for the end of this turn of the event loop, and all
 * that are submitted until then travel together.
 */
@Injectable()
export class EnqueueBatcher {
  private readonly waiting = new Map<string, Waiting[]>();
  /** Calls under way, by type. */
  private readonly calls = new Map<string, number>();
  private readonly isReplicated: boolean;

  constructor(
    @Inject(SUBMIT_LINK) private readonly link: Link,
    private readonly rouser: Rouser,
    private readonly gate: ReplicaGate,
    @Inject(PRODUCER_OPTIONS) { durability }: Pick<ProducerOptions, 'durability'>,
  ) {
    this.isReplicated = durability === 'replicated';
  }

  add(type: string, job: NewJob): Promise<Enqueued> {
    return new Promise((resolve, reject) => {
      const entry = { job, resolve, reject };
      const queue = this.waiting.get(type);
      if (queue !== undefined) {
        queue.push(entry);
        return;
      }
      if (!this.calls.has(type)) {
        void this.send(type, [entry]);
        return;
      }
      this.waiting.set(type, [entry]);
      setImmediate(() => {
        this.flush(type);
      });
    });
  }

  /** Sends many jobs of a type at once. In their order what became of each: an error where its call failed. */
  async addAll(type: string, entries: readonly Entry[]): Promise<readonly Outcome[]> {
    return (await Promise.all(split(entries).map((batch) => this.enqueue(type, batch)))).flat();
  }

  /** In their order what became of each; never rejects. */
  private async enqueue(type: string, batch: readonly Entry[]): Promise<readonly Outcome[]> {
    const jobs = batch.map(({ job }) => job);
    let written: readonly Enqueued[] = [];
    const write = async (): Promise<readonly Enqueued[]> => {
      const { answers, woke } = await enqueue(this.link, type, jobs);
      if (woke) this.rouser.woke(type);
      written = answers;
      return answers;
    };
    try {
      return await available(this.link, () => (this.isReplicated ? this.gate.pass(type, write) : write()));
    } catch (error) {
      // What no replica has acknowledged may be a job that was there before.
      return jobs.map(({ ulid }, index) => ({
        error: withJobId(error, formatJobId({ type, ulid: holderOf(written[index]) ?? ulid })),
      }));
    }
  }

  private flush(type: string): void {
    const entries = this.waiting.get(type) ?? [];
    this.waiting.delete(type);
    for (const batch of split(entries)) void this.send(type, batch);
  }

  /** Never rejects: what goes wrong is told to those who wait for the jobs of the batch. */
  private async send(type: string, batch: readonly Waiting[]): Promise<void> {
    this.calls.set(type, (this.calls.get(type) ?? 0) + 1);
    const outcomes = await this.enqueue(type, batch);
    const others = (this.calls.get(type) ?? 1) - 1;
    if (others > 0) this.calls.set(type, others);
    else this.calls.delete(type);
    outcomes.forEach((outcome, index) => {
      if ('error' in outcome) batch[index]?.reject(outcome.error);
      else batch[index]?.resolve(outcome);
    });
  }
}

/** Each submitter is told which job it should look for. */
function withJobId(error: unknown, jobId: string): unknown {
  return error instanceof QueueUnavailableError ? new QueueUnavailableError(error.outcome, jobId, { cause: error.cause }) : error;
}

/** The job that was there before, when the answer names one. */
function holderOf(answer: Enqueued | undefined): string | undefined {
  if (answer?.kind === 'once') return answer.answer.ulid;
  return answer?.kind === 'duplicate' || answer?.kind === 'once_mismatch' ? answer.ulid : undefined;
}

/** Cuts a list into calls that are small enough. */
function split<T extends Entry>(entries: readonly T[]): T[][] {
  const batches: T[][] = [];
  let batch: T[] = [];
  let bytes = 0;
  for (const entry of entries) {
    const { length } = entry.job.record;
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
