import type { Link } from './link.js';
import { asArray, asText } from './reply.js';
import { Script } from './script.js';

const script = new Script('audit');

/** To find a job in a line takes longer than any other look at it. */
export const MAX_JOBS_PER_AUDIT = 10;

/** Lists those of the jobs again, at most {@link MAX_JOBS_PER_AUDIT}, that stand in no structure; answers with their ulids. */
export async function audit(link: Link, type: string, ulids: readonly string[]): Promise<readonly string[]> {
  const keys = link.keys(type);
  const found = await script.run(
    link.redis,
    [
      keys.clock,
      keys.scheduled,
      keys.retrying,
      keys.running,
      keys.leases,
      keys.succeeded,
      keys.failed,
      keys.cancelled,
      keys.expired,
      keys.parked,
      keys.suspects,
      keys.expiring,
      keys.idle,
      ...keys.ready,
    ],
    ulids,
  );
  return asArray(found).map(asText);
}
