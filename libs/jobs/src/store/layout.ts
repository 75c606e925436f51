import type { Link } from './link.js';

/** Goes up when an older version can no longer work beside this one on the same keys. */
const LAYOUT_VERSION = '1';

/** The layout that the keys under the prefix are in, when it is another than this version's; undefined when they agree. */
export async function foreignLayout(link: Link): Promise<string | undefined> {
  // Read before it is written: a Redis that is full, or a replica for now, still answers.
  const known = await link.redis.get(link.layoutKey);
  if (known === null) await link.redis.setnx(link.layoutKey, LAYOUT_VERSION);
  const found = known ?? (await link.redis.get(link.layoutKey));
  return found === null || found === LAYOUT_VERSION ? undefined : found;
}
