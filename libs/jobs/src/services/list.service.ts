import { Injectable } from '@nestjs/common';
import { InvalidOptionsError, type Violation } from '../definition/errors.js';
import { JobCatalog } from '../definition/job-catalog.js';
import { parseJobId } from '../definition/job-id.js';
import { availableToRead } from '../store/availability.js';
import { byPlace, readIndex, type IndexEntry, type IndexedStatus } from '../store/job-index.js';
import { Link } from '../store/link.js';
import { JobFinder } from './job-finder.js';
import type { JobTraits } from './job-traits.js';
import type { Job } from './job.js';
import { redacted } from './redacted.js';

/**
 * Which jobs to list. Those that wait come with the soonest first, those that have finished with the latest first. Traits are
 * looked at job by job, and a page ends with the job that brings it to 4 MiB: it may hold fewer jobs than its limit, or none, and
 * still not be the last.
 */
export interface JobFilter extends JobTraits {
  readonly status: IndexedStatus;
  /** Of all types of the catalog where it is left out. */
  readonly type?: string | undefined;
  /** Of the time when the job is due, or finished; both included. */
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
}

export interface JobPage {
  readonly jobs: readonly Job[];
  /** Where the next page begins; undefined after the last. */
  readonly next: string | undefined;
}

interface Place extends IndexEntry {
  readonly type: string;
}

/** Lists jobs by their status. */
@Injectable()
export class ListService {
  constructor(
    private readonly link: Link,
    private readonly catalog: JobCatalog,
    private readonly finder: JobFinder,
  ) {}

  /**
   * One page of the jobs that fit the filter, without those that cannot be read.
   * @param cursor from the page before.
   * @param reveal as of `StatusService.get`.
   * @throws {InvalidOptionsError} when the cursor is none; {@link QueueUnavailableError} within 2 s when Redis does not answer
   */
  async page(
    filter: JobFilter,
    {
      limit,
      cursor,
      reveal = false,
    }: { readonly limit: number; readonly cursor?: string | undefined; readonly reveal?: boolean },
  ): Promise<JobPage> {
    const places = await this.places(filter, limit, cursor === undefined ? undefined : parseCursor(cursor));
    const { jobs, looked } = await this.finder.find(places, filter);
    const last = places[looked - 1];
    return {
      jobs: jobs.map(({ job }) => (reveal ? job : redacted(this.catalog, job))),
      next: last !== undefined && (looked < places.length || places.length === limit) ? cursorOf(last) : undefined,
    };
  }

  private async places(filter: JobFilter, limit: number, after: IndexEntry | undefined): Promise<readonly Place[]> {
    const { status, type: only, from, to } = filter;
    const order = status === 'scheduled' || status === 'retrying' ? 'forwards' : 'backwards';
    const query = {
      status,
      order,
      fromMs: from?.getTime() ?? 0,
      toMs: to?.getTime() ?? Number.MAX_SAFE_INTEGER,
      after,
      limit,
    } as const;
    const types = only === undefined ? this.catalog.types : [only];
    const entries = await Promise.all(
      types.map(async (type) => {
        const found = await availableToRead(this.link, () => readIndex(this.link, type, query));
        return found.map((entry) => ({ ...entry, type }));
      }),
    );
    return entries.flat().sort(byPlace(order)).slice(0, limit);
  }
}

function cursorOf({ at, ulid }: IndexEntry): string {
  return Buffer.from(`${at} ${ulid}`).toString('base64url');
}

function parseCursor(cursor: string): IndexEntry {
  const [at = '', ulid = '', ...more] = Buffer.from(cursor, 'base64url').toString().split(' ');
  const id = parseJobId(`any_${ulid}`);
  if (!/^\d{1,15}$/.test(at) || id === undefined || more.length > 0) {
    const violation: Violation = { pointer: '/cursor', detail: 'must be the next_cursor of an earlier answer, as it was' };
    throw new InvalidOptionsError([violation]);
  }
  return { at: Number(at), ulid: id.ulid };
}
