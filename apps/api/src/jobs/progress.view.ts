import { ApiProperty } from '@nestjs/swagger';
import { ANY_JSON, NullableText, Time } from '../http/view-fields.js';

/** How far a job is, as its handler told last. */
export class ProgressView {
  @ApiProperty({ type: Number, minimum: 0, maximum: 100, example: 40 })
  readonly percent!: number;

  @NullableText({ example: '400 of 1000 rows' })
  readonly message!: string | null;

  @ApiProperty({ ...ANY_JSON, description: 'What the handler adds for programs.' })
  readonly data!: unknown;

  @Time()
  readonly updated_at!: string;
}
