import { Injectable } from '@nestjs/common';
import { JobCatalog } from '../definition/job-catalog.js';
import { isFinal, type JobStatus } from '../definition/job-status.js';
import { available, availableToRead } from '../store/availability.js';
import { MAX_JOBS_PER_CALL } from '../store/bounds.js';
import { failedWithin } from '../store/failed-within.js';
import { readIndex, type IndexEntry } from '../store/job-index.js';
import { Link } from '../store/link.js';
import { remove } from '../store/remove.js';
import { replay } from '../store/replay.js';
import { JobJournal } from '../telemetry/job-journal.js';
import { JobFinder, type FoundJob } from './job-finder.js';
import type { JobTraits } from './job-traits.js';
import { replayTtlMs } from './replay-ttl.js';
import { Rouser } from './rouser.js';

/** Which dead letters are meant: of one type or all that are not internal, that failed within a time. */
export interface DeadLetterFilter extends JobTraits {
  readonly type?: string | undefined;
  /** Both included, in ms of Redis' clock. */
  readonly fromMs: number;
  readonly toMs: number;
}

/** Where a walk through the dead letters stands. */
export interface DeadLetterPlace {
  readonly type: string;
  readonly after?: IndexEntry | undefined;
}

/** What one step of a walk came to, in jobs. */
export interface DeadLetterStep {
  /** Where the next step begins; undefined after the last. */
  readonly next: DeadLetterPlace | undefined;
  readonly seen: number;
  readonly matched: number;
  readonly changed: number;
  /** Not replayed, as another job holds their dedupe key. */
  readonly refused: number;
}

interface Outcome {
  readonly changed: number;
  readonly refused: number;
}

/** Walks through dead letters, the oldest first, some at a time. Every call rejects with {@link QueueUnavailableError} within 2 s. */
@Injectable()
export class DeadLettersService {
  constructor(
    private readonly link: Link,
    private readonly catalog: JobCatalog,
    private readonly journal: JobJournal,
    private readonly rouser: Rouser,
    private readonly finder: JobFinder,
  ) {}

  /**
   * What a walk is to go through: up to now where the filter goes further, so that it does not meet again what fails anew
   * meanwhile; and how many dead letters it will see at most. Where types lie on nodes whose clocks differ, the earliest counts.
   */
  async survey(filter: DeadLetterFilter): Promise<{ readonly toMs: number; readonly total: number }> {
    const { fromMs, toMs } = filter;
    const found = await Promise.all(
      this.typesOf(filter).map((type) => availableToRead(this.link, () => failedWithin(this.link, type, fromMs, toMs))),
    );
    return {
      toMs: Math.min(toMs, ...found.map(({ now }) => now)),
      total: found.reduce((sum, { count }) => sum + count, 0),
    };
  }

  /**
   * Looks at the next 64 at most; at fewer, where they are large. Safe to repeat: what was replayed or deleted before is no dead
   * letter any more. One that cannot be read is seen and left alone.
   * @param most it ends with the last of so many that match.
   */
  async step(
    act: 'count' | 'replay' | 'delete',
    filter: DeadLetterFilter,
    from: DeadLetterPlace | undefined,
    most = Infinity,
  ): Promise<DeadLetterStep> {
    const types = this.typesOf(filter);
    const { type, after } = from ?? { type: types[0] };
    if (type === undefined) return { next: undefined, seen: 0, matched: 0, changed: 0, refused: 0 };
    const { fromMs, toMs } = filter;
    const query = { status: 'failed', order: 'forwards', fromMs, toMs, after, limit: MAX_JOBS_PER_CALL } as const;
    const entries = await availableToRead(this.link, () => readIndex(this.link, type, query));
    const ids = entries.map(({ ulid }) => ({ type, ulid }));
    const { jobs: letters, looked } = await this.finder.find(ids, { ...filter, status: 'failed', most });
    const outcome = letters.length === 0 ? NOTHING : await this.change(act, type, letters);
    const following = types.find((each) => each > type);
    const last = looked < entries.length || entries.length === MAX_JOBS_PER_CALL ? entries[looked - 1] : undefined;
    const next = last !== undefined ? { type, after: last } : following === undefined ? undefined : { type: following };
    return { next, seen: looked, matched: letters.length, ...outcome };
  }

  /** In an order that a walk finds its place in when the catalog has become another since. */
  private typesOf({ type }: DeadLetterFilter): readonly string[] {
    return type === undefined ? this.catalog.open.map((each) => each.type).sort() : [type];
  }

  private async change(act: 'count' | 'replay' | 'delete', type: string, letters: readonly FoundJob[]): Promise<Outcome> {
    switch (act) {
      case 'count':
        return NOTHING;
      case 'replay':
        return this.replay(type, letters);
      case 'delete':
        return this.delete(type, letters);
    }
  }

  private async delete(type: string, letters: readonly FoundJob[]): Promise<Outcome> {
    const ulids = letters.map(({ ulid }) => ulid);
    const statuses = await available(this.link, () => remove(this.link, type, ulids));
    const removed = letters.filter((_, index) => isRemoved(statuses[index]));
    for (const { job } of removed) this.journal.removed(type, job.jobId);
    return { changed: removed.length, refused: 0 };
  }

  private async replay(type: string, letters: readonly FoundJob[]): Promise<Outcome> {
    const replays = letters.map(({ ulid, record }) => ({
      ulid,
      dedupeTtlMs: replayTtlMs(this.catalog, type, record),
      record: undefined,
    }));
    const { answers, woke } = await available(this.link, () => replay(this.link, type, replays));
    if (woke) this.rouser.woke(type);
    answers.forEach((answer, index) => {
      const ulid = letters[index]?.ulid;
      if (answer.kind === 'replayed' && ulid !== undefined) this.journal.moved(type, { ulid, record: answer.record });
    });
    return {
      changed: answers.filter(({ kind }) => kind === 'replayed').length,
      refused: answers.filter(({ kind }) => kind === 'duplicate').length,
    };
  }
}

const NOTHING: Outcome = { changed: 0, refused: 0 };

/** One that has been replayed since it was read may have ended, and was removed; or it waits, and stays. */
function isRemoved(statusBefore: JobStatus | undefined): boolean {
  return statusBefore !== undefined && isFinal(statusBefore);
}
