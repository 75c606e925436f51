import { ApiProperty } from '@nestjs/swagger';
import { OneOf } from '../http/view-fields.js';

export class AliveView {
  @OneOf(['ok'])
  readonly status!: 'ok';
}

const INDICATORS = {
  type: 'object' as const,
  additionalProperties: {
    type: 'object' as const,
    properties: { status: { type: 'string' as const, enum: ['up', 'down'] } },
    required: ['status'],
    additionalProperties: true,
  },
};

/** The result of Terminus' health check, for the OpenAPI document. */
export class HealthView {
  @OneOf(['ok', 'error', 'shutting_down'])
  readonly status!: string;

  @ApiProperty({ ...INDICATORS, description: 'What works.' })
  readonly info!: object;

  @ApiProperty({ ...INDICATORS, description: 'What does not.' })
  readonly error!: object;

  @ApiProperty({
    ...INDICATORS,
    description: 'All of it.',
    example: {
      redis: { status: 'up', ping: true, write: true, replica: null, detail: null },
      storage: { status: 'up', write: true, detail: null },
      database: { status: 'up', ping: true, detail: null },
    },
  })
  readonly details!: object;
}
