import type { JobId } from '../definition/job-id.js';
import type { Link } from './link.js';

const PAGE = 100;

/** All jobs there are, some at a time: every key of the servers is passed once. */
export async function* scanJobs(link: Link): AsyncGenerator<readonly JobId[], void> {
  const { redis } = link;
  const prefix = link.keyPrefix;
  for (const server of 'nodes' in redis ? redis.nodes('master') : [redis]) {
    let cursor = '0';
    do {
      const [next, keys] = await server.scan(cursor, 'MATCH', `${escaped(prefix)}:{*}:job:*`, 'COUNT', PAGE);
      cursor = next;
      yield keys.map((key) => {
        const end = key.lastIndexOf('}:job:');
        return { type: key.slice(prefix.length + 2, end), ulid: key.slice(end + '}:job:'.length) };
      });
    } while (cursor !== '0');
  }
}

/** A prefix in a pattern means itself. */
function escaped(prefix: string): string {
  return prefix.replaceAll(/[\\*?[\]]/g, '\\$&');
}
