import {
  BACKOFF_BOUNDS,
  BACKOFF_DEFAULTS,
  BOUNDS,
  DEDUPE_POLICIES,
  DUPLICATE_ANSWERS,
  LONGEST_TYPE,
  MOST_METADATA,
  MOST_TAGS,
  TEXT_BOUNDS,
  WEBHOOK_EVENTS,
  WEBHOOK_EVENTS_RULE,
  areWebhookEvents,
  isWebhookUrl,
  toMs,
  type DedupePolicy,
  type DuplicateAnswer,
  type WebhookEvent,
} from '@antrean/jobs';
import {
  IfGiven,
  IsNumberWithin,
  IsOneOf,
  IsPlainObject,
  IsSeconds,
  IsText,
  IsWhole,
  Rule,
  isPlainObject,
  isText,
} from '../http/body-rules.js';
import { parseRfc3339 } from '../http/rfc3339.js';

export const BACKOFF_TYPES = ['exponential', 'fixed', 'quadratic'] as const;

const { tag: TAG, metadataKey: METADATA_KEY, metadataValue: METADATA_VALUE, webhookUrl: WEBHOOK_URL } = TEXT_BOUNDS;

/** How long a job waits between its attempts. */
export class BackoffBody {
  @IsOneOf(BACKOFF_TYPES, {
    description: 'exponential: drawn evenly from 0 to base * factor^(attempt - 1); fixed: base; quadratic: base * attempt².',
  })
  readonly type!: (typeof BACKOFF_TYPES)[number];

  @IsSeconds(BACKOFF_BOUNDS.delayMs, {})
  readonly base_sec!: number;

  @IfGiven()
  @IsNumberWithin(BACKOFF_BOUNDS.factor, { description: `Of an exponential backoff. Default ${BACKOFF_DEFAULTS.factor}.` })
  readonly factor?: number;

  @IfGiven()
  @IsSeconds(BACKOFF_BOUNDS.delayMs, {
    description: `The longest wait. Default ${toMs(BACKOFF_DEFAULTS.cap) / 1_000}. Not for a fixed backoff.`,
  })
  readonly cap_sec?: number;
}

/** Who is told of the job's end. */
export class WebhookBody {
  @Rule(`must be an https: or http: URL of at most ${WEBHOOK_URL.max} printable ASCII characters, without user`, isWebhookUrl, {
    type: 'string',
    format: 'uri',
    maxLength: WEBHOOK_URL.max,
    description: 'https; http, and private addresses, for the hosts in OUTBOUND_ALLOW only.',
  })
  readonly url!: string;

  @IfGiven()
  @Rule(WEBHOOK_EVENTS_RULE, areWebhookEvents, {
    type: 'array',
    items: { type: 'string', enum: [...WEBHOOK_EVENTS] },
    minItems: 1,
    uniqueItems: true,
    description: 'Default: all.',
  })
  readonly events?: readonly WebhookEvent[];
}

/** What one submit may set; whatever is left out comes from the job type. */
export class JobOptionsBody {
  @IfGiven()
  @IsText(TEXT_BOUNDS.dedupeKey, { description: 'While a job holds the key, another one with it is a duplicate.' })
  readonly dedupe_key?: string;

  @IfGiven()
  @IsOneOf(DEDUPE_POLICIES, { description: 'How long the key is held. Refused without a key.' })
  readonly dedupe_policy?: DedupePolicy;

  @IfGiven()
  @IsSeconds(BOUNDS.dedupeTtlMs, { description: 'For the policy ttl; refused with any other, and without a key.' })
  readonly dedupe_ttl_sec?: number;

  @IfGiven()
  @IsOneOf(DUPLICATE_ANSWERS, { description: 'conflict: a duplicate gets 409; existing: it gets the holder, 202.' })
  readonly on_duplicate?: DuplicateAnswer;

  @IfGiven()
  @IsSeconds(BOUNDS.delayMs, { description: 'The job runs that much later. Not together with run_at.' })
  readonly delay_sec?: number;

  @IfGiven()
  @Rule(
    'must be a time as RFC 3339 writes it, with its offset, such as 2030-01-31T08:00:00Z or 2030-01-31T15:00:00+07:00',
    (value) => typeof value === 'string' && parseRfc3339(value) !== undefined,
    {
      type: 'string',
      format: 'date-time',
      description: 'The job runs then; a time in the past is now. Not together with delay_sec.',
    },
  )
  readonly run_at?: string;

  @IfGiven()
  @IsSeconds(BOUNDS.expiresInMs, {
    description:
      'The job expires when it still waits by then, for its first run or for another: a failure, a snooze or a crash makes it no more ' +
      'useful. A run that goes on then is left alone. While no worker runs its type, nobody ends it.',
  })
  readonly expires_in_sec?: number;

  @IfGiven()
  @IsWhole(BOUNDS.priority, { description: '9 goes first.' })
  readonly priority?: number;

  @IfGiven()
  @IsWhole(BOUNDS.attempts, { description: 'Runs that may fail before the job is buried.' })
  readonly max_attempts?: number;

  @IfGiven()
  @IsSeconds(BOUNDS.timeoutMs, { description: 'A run that takes longer is aborted.' })
  readonly timeout_sec?: number;

  @IfGiven()
  @IsPlainObject({ $ref: '#/components/schemas/BackoffBody' })
  readonly backoff?: object;

  @IfGiven()
  @IsText(TEXT_BOUNDS.userId, { description: 'An opaque owner label.' })
  readonly user_id?: string;

  @IfGiven()
  @Rule(`must be a list of at most ${MOST_TAGS} different strings of ${TAG.min} to ${TAG.max} characters`, isTags, {
    type: 'array',
    items: { type: 'string', minLength: TAG.min, maxLength: TAG.max },
    maxItems: MOST_TAGS,
    uniqueItems: true,
  })
  readonly tags?: readonly string[];

  @IfGiven()
  @Rule(
    `must be an object of at most ${MOST_METADATA} entries, keys of ${METADATA_KEY.min} to ${METADATA_KEY.max} characters, ` +
      `values that are strings of at most ${METADATA_VALUE.max}`,
    isMetadata,
    {
      type: 'object',
      maxProperties: MOST_METADATA,
      propertyNames: { minLength: METADATA_KEY.min, maxLength: METADATA_KEY.max },
      additionalProperties: { type: 'string', maxLength: METADATA_VALUE.max },
    },
  )
  readonly metadata?: Readonly<Record<string, string>>;

  @IfGiven()
  @IsPlainObject({ $ref: '#/components/schemas/WebhookBody' })
  readonly webhook?: object;
}

/** The body of `POST /jobs`. The payload is checked by its job type. */
export class SubmitJobBody {
  @Rule(
    `must be the name of a job type, a string of at most ${LONGEST_TYPE} characters`,
    (value) => typeof value === 'string' && value.length <= LONGEST_TYPE,
    { type: 'string', maxLength: LONGEST_TYPE },
  )
  readonly type!: string;

  @IsPlainObject({ description: 'What the job type takes.' })
  readonly payload!: object;

  @IfGiven()
  @IsPlainObject({ $ref: '#/components/schemas/JobOptionsBody' })
  readonly options?: object;
}

function isTags(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.length <= MOST_TAGS &&
    new Set(value).size === value.length &&
    value.every((tag) => isText(tag, TAG))
  );
}

function isMetadata(value: unknown): boolean {
  if (!isPlainObject(value)) return false;
  const entries = Object.entries(value);
  return (
    entries.length <= MOST_METADATA && entries.every(([key, text]) => isText(key, METADATA_KEY) && isText(text, METADATA_VALUE))
  );
}
