import type { Link } from './link.js';

/** The lines kept of a job, oldest first, in the form note.lua writes: `<ms> <json>`. */
export function readLog(link: Link, type: string, ulid: string): Promise<string[]> {
  return link.redis.lrange(link.keys(type).log(ulid), 0, -1);
}
