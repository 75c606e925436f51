import { Injectable } from '@nestjs/common';
import { JobCatalog } from '../definition/job-catalog.js';
import { availableToRead } from '../store/availability.js';
import { byPlace, readIndex, type IndexEntry } from '../store/job-index.js';
import { Link } from '../store/link.js';
import type { JobFilter } from './job-filter.js';
import { JobFinder } from './job-finder.js';
import type { Job } from './job.js';
import { cursorOf, parseCursor } from './list-cursor.js';
import { redacted } from './redacted.js';

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
   * @param cursor from the page before, of the same filter.
   * @param reveal as of `StatusService.get`.
   * @throws {InvalidOptionsError} when the cursor is none, or of another filter; {@link QueueUnavailableError} within 2 s when Redis does not answer
   */
  async page(
    filter: JobFilter,
    {
      limit,
      cursor,
      reveal = false,
    }: { readonly limit: number; readonly cursor?: string | undefined; readonly reveal?: boolean },
  ): Promise<JobPage> {
    const places = await this.places(filter, limit, cursor === undefined ? undefined : parseCursor(cursor, filter));
    const { jobs, looked } = await this.finder.find(places, filter);
    const last = places[looked - 1];
    return {
      jobs: jobs.map(({ job }) => (reveal ? job : redacted(this.catalog, job))),
      next: last !== undefined && (looked < places.length || places.length === limit) ? cursorOf(last, filter) : undefined,
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
