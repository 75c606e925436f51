import type { JobStatus } from '../definition/job-status.js';
import type { Link } from './link.js';
import { asArray, asText } from './reply.js';
import { Script } from './script.js';

const script = new Script('job-index');

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
  /** Both included, in ms; they hold behind an entry too. */
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
export async function readIndex(
  link: Link,
  type: string,
  { status, order, fromMs, toMs, after, limit }: IndexQuery,
): Promise<readonly IndexEntry[]> {
  const keys = link.keys(type);
  const place = after === undefined ? [] : [after.at, after.ulid];
  const reply = await script.run(link.redis, [keys.clock, keys[status]], [fromMs, toMs, order, limit, ...place]);
  const flat = asArray(reply).map(asText);
  const entries: IndexEntry[] = [];
  for (let i = 0; i < flat.length; i += 2) entries.push({ ulid: flat[i] ?? '', at: Number(flat[i + 1]) });
  return order === 'forwards' ? entries : entries.reverse();
}
