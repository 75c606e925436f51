import { Inject, Injectable } from '@nestjs/common';
import { DuplicateJobError, IllegalTransitionError, JobNotFoundError } from '../definition/errors.js';
import { JobCatalog } from '../definition/job-catalog.js';
import { formatJobId, parseJobId, type JobId } from '../definition/job-id.js';
import { isFinal, type JobStatus } from '../definition/job-status.js';
import { available } from '../store/availability.js';
import { cancel } from '../store/cancel.js';
import { Link } from '../store/link.js';
import { read } from '../store/read.js';
import { remove } from '../store/remove.js';
import { replay, type Replayed } from '../store/replay.js';
import { JobJournal } from '../telemetry/job-journal.js';
import { withPayload } from './prepare-job.js';
import { PRODUCER_OPTIONS, maxPayloadBytesOf, type ProducerOptions } from './producer-options.js';
import { replayTtlMs } from './replay-ttl.js';
import { Rouser } from './rouser.js';

/** What became of a job that was cancelled. */
export interface CancelledJob {
  readonly jobId: string;
  /** `processing`: the job runs and was asked to stop; it ends as cancelled unless it succeeds first. */
  readonly status: 'cancelled' | 'processing';
  /** False: it had been asked to stop before. */
  readonly changed: boolean;
  /** Since when the running job is asked to stop, by Redis' clock; null when it did not run. */
  readonly cancelRequestedAt: Date | null;
}

export interface ReplayedJob {
  readonly jobId: string;
  readonly status: JobStatus;
  /** How often the job was replayed by now. */
  readonly replays: number;
}

interface ReplayAnswer {
  readonly answer: Replayed | undefined;
  readonly dedupeKey: string | undefined;
}

/** Interferes with single jobs. Every call rejects with {@link QueueUnavailableError} within 2 s when Redis does not answer. */
@Injectable()
export class ControlService {
  constructor(
    private readonly link: Link,
    private readonly catalog: JobCatalog,
    private readonly journal: JobJournal,
    private readonly rouser: Rouser,
    @Inject(PRODUCER_OPTIONS) private readonly options: ProducerOptions,
  ) {}

  /**
   * A waiting job is cancelled at once, a running one is asked to stop: its signal fires within a second.
   * @throws {JobNotFoundError} {@link IllegalTransitionError} when it has finished
   */
  async cancel(jobId: string): Promise<CancelledJob> {
    const id = idOf(jobId);
    const [answer] = await available(this.link, () => cancel(this.link, id.type, [id.ulid]));
    if (answer === undefined) throw new JobNotFoundError(jobId);
    const { changed, record, askedAt } = answer;
    const cancelRequestedAt = askedAt === undefined ? null : new Date(askedAt);
    if (record.status === 'processing') return { jobId, status: record.status, changed, cancelRequestedAt };
    if (!changed || record.status !== 'cancelled') throw new IllegalTransitionError(jobId, record.status, 'cancel');
    this.journal.moved(id.type, { ulid: id.ulid, record });
    return { jobId, status: record.status, changed, cancelRequestedAt };
  }

  /**
   * A finished job queues again, at the back of its line, with its counters reset and its history kept. It goes on from its
   * checkpoint, unless it had succeeded or its payload changes. Its dedupe key is taken again.
   * @param payload what the job is to run with instead; its options and its dedupe key stay.
   * @throws {JobNotFoundError} {@link IllegalTransitionError} when it has not finished; {@link DuplicateJobError} when another job
   *   holds its dedupe key; with a payload also {@link UnknownJobTypeError} {@link InvalidPayloadError} {@link PayloadTooLargeError}
   */
  async replay(jobId: string, { payload }: { readonly payload?: object } = {}): Promise<ReplayedJob> {
    const id = idOf(jobId);
    // Both calls within the one time that a caller waits.
    const { answer, dedupeKey } = await available(this.link, () => this.replayNow(id, payload));
    switch (answer?.kind) {
      case 'replayed':
        this.journal.moved(id.type, { ulid: id.ulid, record: answer.record });
        return { jobId, status: answer.record.status, replays: answer.record.replays };
      case 'not_finished':
        throw new IllegalTransitionError(jobId, answer.record.status, 'replay');
      case 'duplicate':
        throw new DuplicateJobError(
          formatJobId({ type: id.type, ulid: answer.holder }),
          answer.header?.status ?? null,
          dedupeKey ?? '',
        );
      case 'unknown':
      case undefined:
        throw new JobNotFoundError(jobId);
    }
  }

  /**
   * Removes a finished job with all that belongs to it, and frees its dedupe key.
   * @throws {JobNotFoundError} {@link IllegalTransitionError} when it has not finished
   */
  async remove(jobId: string): Promise<void> {
    const id = idOf(jobId);
    const [status] = await available(this.link, () => remove(this.link, id.type, [id.ulid]));
    if (status === undefined) throw new JobNotFoundError(jobId);
    if (!isFinal(status)) throw new IllegalTransitionError(jobId, status, 'remove');
    this.journal.removed(id.type, jobId);
  }

  private async replayNow({ type, ulid }: JobId, payload: object | undefined): Promise<ReplayAnswer> {
    const snapshot = await read(this.link, type, ulid);
    if (snapshot === undefined) return { answer: undefined, dedupeKey: undefined };
    const before = snapshot.record;
    const record = payload && withPayload(this.catalog.getOpen(type), before, payload, maxPayloadBytesOf(this.options));
    const { answers, woke } = await replay(this.link, type, [
      { ulid, dedupeTtlMs: replayTtlMs(this.catalog, type, before), record },
    ]);
    if (woke) this.rouser.woke(type);
    return { answer: answers[0], dedupeKey: before.dedupeKey };
  }
}

/** @throws {JobNotFoundError} when the text is no job's id */
function idOf(jobId: string): JobId {
  const id = parseJobId(jobId);
  if (id === undefined) throw new JobNotFoundError(jobId);
  return id;
}
