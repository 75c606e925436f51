import type { Link } from './link.js';

/** The ulids of all jobs of a type that stand under a worker now. */
export async function heldJobs(link: Link, type: string, workerNumber: bigint): Promise<ReadonlySet<string>> {
  const number = String(workerNumber);
  return new Set(await link.redis.zrangebyscore(link.keys(type).running, number, number));
}
