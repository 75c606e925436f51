/** Every status a job can have. `scheduled`, `queued` and `retrying` wait, `processing` runs, the others are final. */
export const JOB_STATUSES = [
  'scheduled',
  'queued',
  'processing',
  'retrying',
  'succeeded',
  'failed',
  'cancelled',
  'expired',
] as const;

export type JobStatus = (typeof JOB_STATUSES)[number];

/** What can happen to a job. Each is carried out by one script; see `TRANSITIONS` for where it may lead. */
export type JobEvent =
  | 'enqueue'
  | 'promote'
  | 'claim'
  | 'succeed'
  | 'retry'
  | 'snooze'
  | 'bury'
  | 'hand_back'
  | 'crash'
  | 'cancel'
  | 'expire'
  | 'replay';

/** A job that does not exist yet, as the origin of `enqueue`. */
export type Origin = JobStatus | 'none';

/**
 * The one table of legal transitions: for each event, the statuses it may start from and those it may end in.
 * What is not in it is refused by the scripts; the tests walk it in both directions.
 */
export const TRANSITIONS: Readonly<Record<JobEvent, { readonly from: readonly Origin[]; readonly to: readonly JobStatus[] }>> = {
  enqueue: { from: ['none'], to: ['queued', 'scheduled'] },
  promote: { from: ['scheduled', 'retrying'], to: ['queued'] },
  claim: { from: ['queued'], to: ['processing'] },
  succeed: { from: ['processing'], to: ['succeeded'] },
  retry: { from: ['processing'], to: ['retrying', 'failed'] },
  snooze: { from: ['processing'], to: ['scheduled'] },
  bury: { from: ['processing'], to: ['failed'] },
  hand_back: { from: ['processing'], to: ['queued', 'scheduled'] },
  crash: { from: ['processing'], to: ['queued', 'failed', 'cancelled'] },
  cancel: { from: ['scheduled', 'queued', 'retrying', 'processing'], to: ['cancelled'] },
  expire: { from: ['scheduled', 'queued', 'retrying'], to: ['expired'] },
  replay: { from: ['succeeded', 'failed', 'cancelled', 'expired'], to: ['queued'] },
};

const FINAL: ReadonlySet<JobStatus> = new Set(['succeeded', 'failed', 'cancelled', 'expired']);

/** True for the statuses that only a replay can leave. */
export function isFinal(status: JobStatus): boolean {
  return FINAL.has(status);
}
