import { IsIn, Length, Matches } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { defineJob, exponential } from '@antrean/jobs';
import { IfGiven } from './if-given.decorator.js';
import { payloadFingerprint } from './payload-fingerprint.js';
import { SINGLE_LINE } from './single-line.js';
import { IsAfter, IsUtcTime } from './utc-time.decorator.js';

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
  @JSONSchema({ description: 'The first moment of the period, in UTC. Without it the period begins with the first row.' })
  readonly from?: string;

  @IfGiven()
  @IsAfter('from')
  @IsUtcTime()
  @JSONSchema({ description: 'The end of the period, in UTC, itself not part of it. Without it the period has none.' })
  readonly to?: string;

  @Matches(SINGLE_LINE, { message: '$property must not hold line breaks or other control characters' })
  @Length(1, 128, { message: '$property must have 1 to 128 characters' })
  @JSONSchema({ description: 'The owner of the report.' })
  readonly user_id!: string;
}

/** Writes a report of customers or orders into the storage. Result: `{file_key, rows, bytes, format}`. */
export const ReportGenerate = defineJob('report.generate', {
  payload: ReportGeneratePayload,
  // It reads all customers, whoever asks: until it has a route that says who may, it is submitted by the product alone.
  internal: true,
  // A page of a PDF is computed without a pause.
  isolation: 'thread',
  concurrency: { worker: 2 },
  timeout: '30m',
  retry: exponential({ base: '5s', cap: '10m' }),
  dedupe: { key: payloadFingerprint, policy: 'until_result_expires', onDuplicate: 'existing' },
});
