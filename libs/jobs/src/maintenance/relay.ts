import { formatTraceparent } from '@antrean/platform';
import { formatJobId } from '../definition/job-id.js';
import { eventOf, type WebhookEvent } from '../definition/webhook.js';
import type { Ticking } from '../runtime/loop.js';
import type { WebhookDelivery, WebhookMessage } from '../runtime/worker-options.js';
import { describeJob } from '../services/describe-job.js';
import { prepareJob, type PreparedJob } from '../services/prepare-job.js';
import { decodeOutgoing, dropOutgoing, readOutgoing, type Outgoing } from '../store/outgoing.js';
import type { StoredWebhook } from '../store/record.js';
import type { MaintenanceContext } from './maintenance-context.js';

/** Events that are handed on in one go. */
const BATCH = 16;
/** A worker knows of the events that its own calls bring about; those of others are looked for this often. */
const POLL_MS = 15_000;
/** Beyond what a result, a trail and metadata of full size come to, whatever the limit for submitted payloads. */
const LIMITS = { maxPayloadBytes: 1_000_000, webhooks: false };

/**
 * Makes jobs of the events that the ends of a type's jobs left behind, in another slot. An event goes only when its job was
 * accepted; handed on twice, by workers that came together or after a crash in between, it gives one job, by its once key.
 */
export class Relay implements Ticking {
  constructor(
    private readonly type: string,
    private readonly delivery: WebhookDelivery,
    private readonly context: MaintenanceContext,
  ) {}

  /** @throws QueueUnavailableError when an event could not be handed on: it is still there. */
  async tick(): Promise<number> {
    const { link, batcher, journal } = this.context;
    const events = await readOutgoing(link, this.type, BATCH);
    const prepared = events.flatMap((event) => this.prepare(event) ?? []);
    const { type } = this.delivery.definition;
    const outcomes = prepared.length === 0 ? [] : await batcher.addAll(type, prepared);
    for (const [index, outcome] of outcomes.entries()) {
      const { job, record } = prepared[index] ?? {};
      if ('error' in outcome || outcome.kind !== 'accepted' || job === undefined || record === undefined) continue;
      const jobId = formatJobId({ type, ulid: job.ulid });
      journal.submitted({ jobId, type, trace: record.trace, requestId: record.facts.requestId, status: outcome.status });
    }
    const refused = outcomes.find((outcome) => 'error' in outcome);
    if (refused !== undefined) throw refused.error;
    await dropOutgoing(link, this.type, events);
    return events.length === BATCH ? 0 : POLL_MS;
  }

  /** Undefined when nobody wants the event. One that cannot be handed on at all must not keep those behind it. */
  private prepare(event: Buffer): PreparedJob | undefined {
    try {
      return this.jobOf(decodeOutgoing(event));
    } catch (error) {
      const ulid = event.toString('latin1', 0, 26);
      this.context.options.logger.error({ job_id: `${this.type}_${ulid}`, err: error }, 'the end of a job cannot be told');
      return undefined;
    }
  }

  private jobOf(ended: Outgoing): PreparedJob | undefined {
    const { record } = ended;
    const { webhook, requestId, userId, tracestate } = record.facts;
    const event = eventOf(record.status);
    if (webhook === undefined || event === undefined) return undefined;
    const message = this.messageOf(ended, webhook, event);
    const options = {
      onceKey: message.id,
      expiresInMs: this.delivery.expiresInMs,
      traceparent: formatTraceparent(record.trace),
      ...(tracestate !== undefined && { tracestate }),
      ...(requestId !== undefined && { requestId }),
      ...(userId !== undefined && { userId }),
    };
    const { definition } = this.delivery;
    return prepareJob(definition, this.delivery.payloadOf(message), options, LIMITS, 'any');
  }

  private messageOf({ ulid, record, extra }: Outgoing, { url, secretName }: StoredWebhook, event: WebhookEvent): WebhookMessage {
    const snapshot = { now: record.finishedAt, record, extra, headSeq: undefined, parked: false };
    const job = describeJob({ type: this.type, ulid }, snapshot, []);
    return { id: `msg_${ulid}_${record.revision}_${record.finishedAt}`, event, url, secretName, job };
  }
}
