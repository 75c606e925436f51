import type { JobStatus } from '../definition/job-status.js';
import type { Link } from './link.js';

/** The statuses whose jobs stand in a sorted set by time: when they are due, or when they finished. */
export const INDEXED_STATUSES = [
  'scheduled',
  'retrying',
  'succeeded',
  'failed',
  'cancelled',
  'expired',
] as const satisfies readonly JobStatus[];

export type IndexedStatus = (typeof INDEXED_STATUSES)[number];

/** A job's place in the index of its status. */
export interface IndexEntry {
  readonly ulid: string;
  /** In ms of Redis' clock. */
  readonly at: number;
}

/** By time: from the past on, or back to it. */
export type IndexOrder = 'forwards' | 'backwards';

export interface IndexQuery {
  readonly status: IndexedStatus;
  readonly order: IndexOrder;
  /** Both included, in ms. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Only what comes behind this entry, be it still there or not. */
  readonly after: IndexEntry | undefined;
  readonly limit: number;
}

export function byPlace(order: IndexOrder): (a: IndexEntry, b: IndexEntry) => number {
  const sign = order === 'forwards' ? 1 : -1;
  return (a, b) => sign * (a.at - b.at || (a.ulid < b.ulid ? -1 : Number(a.ulid > b.ulid)));
}

/** Jobs of a type in one status, in the order of {@link byPlace}. */
export async function readIndex(link: Link, type: string, query: IndexQuery): Promise<readonly IndexEntry[]> {
  const { order, after, limit } = query;
  const compare = byPlace(order);
  const found: IndexEntry[] = [];
  // Those of the very time of `after` that stand before it are passed over, page by page.
  for (let offset = 0; found.length < limit; offset += limit) {
    const page = await readPage(link, type, query, offset);
    found.push(...page.filter((entry) => after === undefined || compare(after, entry) < 0));
    if (page.length < limit) break;
  }
  return found.slice(0, limit);
}

async function readPage(link: Link, type: string, query: IndexQuery, offset: number): Promise<readonly IndexEntry[]> {
  const { status, order, after, limit } = query;
  const key = link.keys(type)[status];
  const flat =
    order === 'forwards'
      ? await link.redis.zrangebyscore(key, after?.at ?? query.fromMs, query.toMs, 'WITHSCORES', 'LIMIT', offset, limit)
      : await link.redis.zrevrangebyscore(key, after?.at ?? query.toMs, query.fromMs, 'WITHSCORES', 'LIMIT', offset, limit);
  const entries: IndexEntry[] = [];
  for (let i = 0; i < flat.length; i += 2) entries.push({ ulid: flat[i] ?? '', at: Number(flat[i + 1]) });
  return entries;
}
