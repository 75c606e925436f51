import { randomUUID } from 'node:crypto';
import type { Link } from './link.js';
import { asArray, asNumber, asText } from './reply.js';
import { Script } from './script.js';

const script = new Script('census');

export interface Census {
  /** By Redis' clock, in ms. */
  readonly now: number;
  /** Names the data in Redis as long as nobody empties it: what another origin says of a job means nothing. */
  readonly origin: string;
  /** Those of the ulids asked for under which there is no job. */
  readonly absent: readonly string[];
}

/**
 * Looks which jobs there are, in whatever status; one whose record is none counts as there.
 * @param ulids at most MAX_JOBS_PER_CALL
 */
export async function census(link: Link, type: string, ulids: readonly string[]): Promise<Census> {
  const { clock, origin } = link.keys(type);
  const [now, name, ...there] = asArray(await script.run(link.redis, [clock, origin], [randomUUID(), ...ulids]));
  return { now: asNumber(now), origin: asText(name), absent: ulids.filter((_ulid, nth) => asNumber(there[nth]) === 0) };
}
