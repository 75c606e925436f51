import { IsIn } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { defineDocument } from './define-document.js';
import { IfGiven } from './if-given.decorator.js';
import { IsOwner } from './owner.decorator.js';
import { IsAfter, IsUtcTime, UTC_TIME_SCHEMA } from './utc-time.decorator.js';

const REPORTS = ['customers', 'orders'] as const;
const FORMATS = ['csv', 'pdf'] as const;

/** Which report of the shop, of what time. */
export class ReportGeneratePayload {
  @IsIn(REPORTS, { message: `$property must be one of ${REPORTS.join(', ')}` })
  @JSONSchema({ description: 'What the rows are.' })
  readonly report!: (typeof REPORTS)[number];

  @IsIn(FORMATS, { message: `$property must be one of ${FORMATS.join(', ')}` })
  @JSONSchema({ description: 'CSV for spreadsheets, in UTF-8 with a byte order mark, or PDF on A4.' })
  readonly format!: (typeof FORMATS)[number];

  @IfGiven()
  @IsUtcTime()
  @JSONSchema({
    ...UTC_TIME_SCHEMA,
    description: 'The first moment of the period, in UTC. Without it the period begins with the first row.',
  })
  readonly from?: string;

  @IfGiven()
  @IsAfter('from')
  @IsUtcTime()
  @JSONSchema({
    ...UTC_TIME_SCHEMA,
    description: 'The end of the period, in UTC, itself not part of it. Without it the period has none.',
  })
  readonly to?: string;

  @IsOwner('The owner of the report.')
  readonly user_id!: string;
}

/** Writes a report of customers or orders. */
export const ReportGenerate = defineDocument('report.generate', ReportGeneratePayload);
