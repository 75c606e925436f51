import type { Link } from './link.js';
import { asArray, asJobs, asNumber, type StoredJob } from './reply.js';
import { Script } from './script.js';

const script = new Script('overdue');

export interface Overdue {
  /** How many runs were looked at; fewer than the limit: there are no more. */
  readonly seen: number;
  /** Without their payloads. */
  readonly jobs: readonly StoredJob[];
}

/** Looks at all runs of a worker, page by page. Each look takes the runs that it answers with away from the worker. */
export async function takeOverdue(
  limit: number,
  look: (page: { readonly offset: number; readonly limit: number }) => Promise<Overdue>,
): Promise<readonly StoredJob[]> {
  const all: StoredJob[] = [];
  for (let offset = 0; ;) {
    const { seen, jobs } = await look({ offset, limit });
    all.push(...jobs);
    offset += seen - jobs.length;
    if (seen < limit) return all;
  }
}

/** Runs of a worker that are past their timeout and `graceMs`. */
export async function overdue(
  link: Link,
  type: string,
  workerNumber: bigint,
  { graceMs, offset, limit }: { readonly graceMs: number; readonly offset: number; readonly limit: number },
): Promise<Overdue> {
  const keys = link.keys(type);
  const [seen, ...jobs] = asArray(
    await script.run(link.redis, [keys.clock, keys.running], [String(workerNumber), graceMs, offset, limit]),
  );
  return { seen: asNumber(seen), jobs: asJobs(jobs) };
}
