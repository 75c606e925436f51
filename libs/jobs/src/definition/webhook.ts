import type { JobStatus } from './job-status.js';

/** What a webhook may be told of: the ends of its job, by the status each leads to. */
const ENDS = {
  'job.succeeded': 'succeeded',
  'job.failed': 'failed',
  'job.cancelled': 'cancelled',
  'job.expired': 'expired',
} as const satisfies Readonly<Record<string, JobStatus>>;

export type WebhookEvent = keyof typeof ENDS;

// Object.keys forgets what it was given; ENDS names every event and nothing else.
export const WEBHOOK_EVENTS = Object.keys(ENDS) as readonly WebhookEvent[];

/** What must hold of a choice of events. */
export const WEBHOOK_EVENTS_RULE = `must be a list of at least one of ${WEBHOOK_EVENTS.join(', ')}, none of them twice`;

export function areWebhookEvents(value: unknown): value is readonly WebhookEvent[] {
  const known: readonly unknown[] = WEBHOOK_EVENTS;
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    new Set(value).size === value.length &&
    value.every((event) => known.includes(event))
  );
}

/** Who is told of the end of a job. */
export interface Webhook {
  /** May hold secrets: no log shows it. */
  readonly url: string;
  /** Default: all. */
  readonly events?: readonly WebhookEvent[];
  /** Names the secrets that messages are signed with. */
  readonly secretName: string;
}

/** The statuses whose ends a webhook asks for. */
export function endsOf({ events = WEBHOOK_EVENTS }: Webhook): readonly JobStatus[] {
  return events.map((event) => ENDS[event]);
}

/** The event that the end of a job with this status is; undefined while it has not ended. */
export function eventOf(status: JobStatus): WebhookEvent | undefined {
  return WEBHOOK_EVENTS.find((event) => ENDS[event] === status);
}
