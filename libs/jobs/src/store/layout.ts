import { masterOfKey } from '@antrean/platform';
import type { Link } from './link.js';

/** Goes up when an older version can no longer work beside this one on the same keys. */
const LAYOUT_VERSION = '1';

/**
 * The layout that the keys of a type on one of these servers are in, when it is another than this version's; undefined when all agree.
 * Each type says so itself: where its keys are there is an answer, whatever is away.
 */
export async function foreignLayout(
  link: Link,
  types: readonly string[],
  servers: ReadonlySet<string>,
): Promise<string | undefined> {
  const layouts = await Promise.all(types.map((type) => layoutOf(link, link.keys(type).layout, servers)));
  return layouts.find((layout) => layout !== undefined && layout !== LAYOUT_VERSION);
}

async function layoutOf({ redis }: Link, key: string, servers: ReadonlySet<string>): Promise<string | undefined> {
  const master = masterOfKey(redis, key);
  if (master === undefined || !servers.has(master.address)) return undefined;
  // The server itself: commands may not be let through to it yet. Read before it is written: one that is full, or a replica for now,
  // still answers.
  const { connection } = master;
  const known = await connection.get(key);
  if (known === null) await connection.setnx(key, LAYOUT_VERSION);
  return known ?? (await connection.get(key)) ?? undefined;
}
