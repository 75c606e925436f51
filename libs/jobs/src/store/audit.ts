import type { Link } from './link.js';
import { asArray, asNumber, asText } from './reply.js';
import { Script } from './script.js';

const script = new Script('audit');

/** To find a job in a line takes longer than any other look at it. */
export const MAX_JOBS_PER_AUDIT = 10;

export interface Audited {
  /** Ulids of the jobs that are listed again. */
  readonly relisted: readonly string[];
  /** Ulids of the jobs whose record is none: too short, or no string. All else passes over them. */
  readonly spoilt: readonly string[];
  /** A worker was woken. */
  readonly woke: boolean;
}

/** Lists those of the jobs again, at most {@link MAX_JOBS_PER_AUDIT}, that stand in no structure. */
export async function audit(link: Link, type: string, ulids: readonly string[]): Promise<Audited> {
  const keys = link.keys(type);
  const reply = await script.run(
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
  const [woke, count, ...found] = asArray(reply);
  const relisted = asNumber(count);
  return {
    relisted: found.slice(0, relisted).map(asText),
    spoilt: found.slice(relisted).map(asText),
    woke: asNumber(woke) === 1,
  };
}
