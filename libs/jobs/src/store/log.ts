import type { Link } from './link.js';

/** The lines kept of a job, oldest first, in the form note.lua writes: `<ms> <json>`; undefined when there is no such job. */
export async function readLog(link: Link, type: string, ulid: string): Promise<readonly string[] | undefined> {
  const keys = link.keys(type);
  const [lines, there] = await Promise.all([link.redis.lrange(keys.log(ulid), 0, -1), link.redis.exists(keys.job(ulid))]);
  return there === 1 ? lines : undefined;
}
