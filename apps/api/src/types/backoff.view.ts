import type { RetryPolicy } from '@antrean/jobs';
import { ApiProperty } from '@nestjs/swagger';
import { NullableSeconds, OneOf } from '../http/view-fields.js';

const KINDS = ['exponential', 'fixed', 'quadratic', 'custom'] as const satisfies readonly RetryPolicy['kind'][];

/** How long a job waits between its attempts. */
export class BackoffView {
  @OneOf(KINDS, { description: 'custom: the type computes it.' })
  readonly type!: RetryPolicy['kind'];

  @NullableSeconds({ example: 5 })
  readonly base_sec!: number | null;

  @ApiProperty({ type: Number, nullable: true, description: 'Of an exponential backoff.', example: 2 })
  readonly factor!: number | null;

  @NullableSeconds({ description: 'The longest wait.', example: 600 })
  readonly cap_sec!: number | null;
}

export function backoffView(policy: RetryPolicy): BackoffView {
  switch (policy.kind) {
    case 'exponential':
      return { type: policy.kind, base_sec: policy.baseMs / 1_000, factor: policy.factor, cap_sec: policy.capMs / 1_000 };
    case 'fixed':
      return { type: policy.kind, base_sec: policy.delayMs / 1_000, factor: null, cap_sec: null };
    case 'quadratic':
      return { type: policy.kind, base_sec: policy.baseMs / 1_000, factor: null, cap_sec: policy.capMs / 1_000 };
    case 'custom':
      return { type: policy.kind, base_sec: null, factor: null, cap_sec: null };
  }
}
