import {
  BOUNDS,
  DEDUPE_POLICIES,
  DUPLICATE_ANSWERS,
  type DedupePolicy,
  type DuplicateAnswer,
  type JobDefinition,
} from '@antrean/jobs';
import { ApiProperty } from '@nestjs/swagger';
import { NullableSeconds, OneOf, Seconds, Text, Whole } from '../http/view-fields.js';
import { classSchema, type JsonSchema } from '../docs/schema/class-schema.js';
import { backoffView, BackoffView } from './backoff.view.js';

export class ConcurrencyView {
  @Whole({ description: 'Jobs of the type that one worker runs at once, unless it is told otherwise.', example: 50 })
  readonly worker!: number;
}

export class DedupeView {
  @OneOf(DEDUPE_POLICIES, { description: 'How long a dedupe key is held.' })
  readonly policy!: DedupePolicy;

  @NullableSeconds({ description: 'Of the policy ttl; null for the others.', example: 600 })
  readonly ttl_sec!: number | null;

  @OneOf(DUPLICATE_ANSWERS, { description: 'What a duplicate gets.' })
  readonly on_duplicate!: DuplicateAnswer;
}

/** How jobs of a type are run, as far as a submit does not say otherwise. */
export class PolicyView {
  @ApiProperty({ type: ConcurrencyView })
  readonly concurrency!: ConcurrencyView;

  @Seconds({ description: 'A run that takes longer is aborted.', example: 30 })
  readonly timeout_sec!: number;

  @Seconds({ description: 'That much later it is settled as timed out, whatever it does.', example: 5 })
  readonly grace_sec!: number;

  @Whole({ example: 5 })
  readonly max_attempts!: number;

  @Whole({ description: 'Deaths of a worker under the job, in a row, before it is buried.', example: 3 })
  readonly max_crashes!: number;

  @ApiProperty({ type: BackoffView })
  readonly backoff!: BackoffView;

  @Whole({ description: `${BOUNDS.priority.min} to ${BOUNDS.priority.max}, the highest goes first.`, example: 5 })
  readonly priority!: number;

  @ApiProperty({ type: DedupeView })
  readonly dedupe!: DedupeView;
}

/** A job type: what it takes and how it is run. */
export class TypeView {
  @Text({ example: 'email.send' })
  readonly type!: string;

  @Whole({ description: "Version of the payload's shape.", example: 1 })
  readonly version!: number;

  @ApiProperty({ type: 'object', additionalProperties: true, description: 'JSON schema (draft 2020-12) of the payload.' })
  readonly payload_schema!: JsonSchema;

  @ApiProperty({ type: PolicyView })
  readonly policy!: PolicyView;
}

export function typeView(definition: JobDefinition): TypeView {
  return {
    type: definition.type,
    version: definition.version,
    payload_schema: payloadSchema(definition),
    policy: {
      concurrency: { worker: definition.concurrency },
      timeout_sec: definition.timeoutMs / 1_000,
      grace_sec: definition.graceMs / 1_000,
      max_attempts: definition.maxAttempts,
      max_crashes: definition.maxCrashes,
      backoff: backoffView(definition.retry),
      priority: definition.priority,
      dedupe: {
        policy: definition.dedupe.policy,
        ttl_sec: definition.dedupe.policy === 'ttl' ? definition.dedupe.ttlMs / 1_000 : null,
        on_duplicate: definition.dedupe.onDuplicate,
      },
    },
  };
}

function payloadSchema({ payload }: JobDefinition): JsonSchema {
  const { schema, nested } = classSchema(payload, '#/$defs/');
  return Object.keys(nested).length === 0 ? schema : { ...schema, $defs: nested };
}
