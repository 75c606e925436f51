import { IsString } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { Sensitive, custom, defineJob, toMs } from '@antrean/jobs';

/** One message to one webhook. Made by the relay of a worker and by nobody else: who could name a secret could sign as another. */
export class WebhookDeliverPayload {
  /** May hold secrets. */
  @Sensitive()
  @IsString()
  @JSONSchema({ description: 'Where the message goes.' })
  readonly url!: string;

  @IsString()
  @JSONSchema({ description: 'The name in WEBHOOK_SECRETS whose secrets sign the message.' })
  readonly secret_name!: string;

  @IsString()
  @JSONSchema({ description: 'The same with every attempt: the header webhook-id.' })
  readonly message_id!: string;

  @IsString()
  @JSONSchema({ description: 'The message itself, JSON as text: it is sent, and signed, to the byte.' })
  readonly body!: string;
}

/** The waits after each attempt; together they are more than three days. */
const WAITS_MS = (['5s', '5m', '30m', '2h', '5h', '10h', '14h', '20h', '24h'] as const).map(toMs);

/** Tells a webhook how a job ended. */
export const WebhookDeliver = defineJob('webhook.deliver', {
  payload: WebhookDeliverPayload,
  internal: true,
  concurrency: { worker: 50 },
  timeout: '30s',
  attempts: WAITS_MS.length + 1,
  retry: custom(webhookWaitMs),
});

/** How long to wait after an attempt, the first being 1, in ms: lengthened by up to a tenth, and never shortened. */
function webhookWaitMs(attempt: number): number {
  return (WAITS_MS[attempt - 1] ?? toMs('24h')) * (1 + Math.random() / 10);
}
