import type { LogLine } from '@antrean/jobs';
import { ApiProperty } from '@nestjs/swagger';
import { NullableText, OneOf, Text, Time, Whole } from '../http/view-fields.js';

/** One line that a handler wrote to its job's log. */
export class LogLineView {
  @Time() readonly at!: string;
  @OneOf(['info', 'warn', 'error']) readonly level!: LogLine['level'];
  @Whole({ description: "The job's attempt when it was written.", example: 1 }) readonly attempt!: number;
  @Text({ example: 'page fetched' }) readonly message!: string;
  @ApiProperty({ type: 'object', additionalProperties: true }) readonly fields!: Readonly<Record<string, unknown>>;
}

export class JobLogsView {
  @ApiProperty({ type: [LogLineView], description: 'Oldest first; the latest 200 are kept.' })
  readonly data!: readonly LogLineView[];

  @NullableText({ description: 'Always null: a log is one page.' })
  readonly next_cursor!: null;
}

export function jobLogsView(lines: readonly LogLine[]): JobLogsView {
  return { data: lines.map(({ at, ...line }) => ({ at: at.toISOString(), ...line })), next_cursor: null };
}
