import type { Link } from './link.js';
import { asText } from './reply.js';
import { Script } from './script.js';

const script = new Script('dedupe-holder');

/** The ulid of the job that holds a dedupe key now. */
export async function dedupeHolder(link: Link, type: string, dedupeKey: string): Promise<string | undefined> {
  const keys = link.keys(type);
  const ulid = asText(await script.run(link.redis, [keys.clock, keys.dedupe(dedupeKey)], []));
  return ulid === '' ? undefined : ulid;
}
