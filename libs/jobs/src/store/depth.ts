import type { JobStatus } from '../definition/job-status.js';
import type { Link } from './link.js';
import { asArray, asNumber } from './reply.js';
import { Script } from './script.js';

const script = new Script('depth');

/** In the order of the script's reply. */
const ORDER = [
  'queued',
  'scheduled',
  'retrying',
  'processing',
  'succeeded',
  'failed',
  'cancelled',
  'expired',
] as const satisfies JobStatus[];

export interface Depth {
  readonly counts: Readonly<Record<JobStatus, number>>;
  /** How long the oldest queued job has been due; null when none is queued. */
  readonly oldestQueuedMs: number | null;
  /** Ends of jobs with a webhook that no relay has handed on yet. */
  readonly outgoing: number;
}

export async function depth(link: Link, type: string): Promise<Depth> {
  const keys = link.keys(type);
  const [oldest, ...counts] = asArray(
    await script.run(
      link.redis,
      [
        keys.clock,
        keys.scheduled,
        keys.retrying,
        keys.running,
        keys.succeeded,
        keys.failed,
        keys.cancelled,
        keys.expired,
        keys.ghosts,
        keys.parked,
        keys.suspects,
        ...keys.ready,
        keys.outgoing,
      ],
      [],
    ),
  ).map(asNumber);
  // ORDER names every status once, so the entries make a whole record.
  const byStatus = Object.fromEntries(ORDER.map((status, index) => [status, counts[index] ?? 0])) as Record<JobStatus, number>;
  return {
    counts: byStatus,
    oldestQueuedMs: oldest === undefined || oldest < 0 ? null : oldest,
    outgoing: counts[ORDER.length] ?? 0,
  };
}
