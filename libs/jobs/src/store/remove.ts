import type { JobStatus } from '../definition/job-status.js';
import type { Link } from './link.js';
import { statusOf } from './record.js';
import { asText } from './reply.js';
import { Script } from './script.js';

const script = new Script('remove');

/** Removes finished jobs, at most 64. Each one's status as it was, undefined when there is none; one not final stays. */
export async function remove(link: Link, type: string, ulids: readonly string[]): Promise<readonly (JobStatus | undefined)[]> {
  const keys = link.keys(type);
  const letters = asText(
    await script.run(link.redis, [keys.clock, keys.succeeded, keys.failed, keys.cancelled, keys.expired], ulids),
  );
  return Array.from(letters, (letter) => (letter === '-' ? undefined : statusOf(letter)));
}
