import { IsIn, Length, Matches } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { defineJob, exponential } from '@antrean/jobs';
import { payloadFingerprint } from './payload-fingerprint.js';
import { SINGLE_LINE } from './single-line.js';

const FORMATS = ['csv', 'json', 'pdf'] as const;

/** Whose export, and as what. */
export class ExportGeneratePayload {
  @Matches(SINGLE_LINE, { message: '$property must not hold line breaks or other control characters' })
  @Length(1, 128, { message: '$property must have 1 to 128 characters' })
  @JSONSchema({ description: 'The owner of the export.' })
  readonly user_id!: string;

  @IsIn(FORMATS, { message: `$property must be one of ${FORMATS.join(', ')}` })
  @JSONSchema({ description: 'CSV and JSON in UTF-8, for programs, or PDF on A4.' })
  readonly format!: (typeof FORMATS)[number];
}

/**
 * Writes all customers with all their fields into the storage: the shop's data belong to its staff, not to one user each, so every
 * owner gets the same. Result: `{file_key, rows, bytes, format}`.
 */
export const ExportGenerate = defineJob('export.generate', {
  payload: ExportGeneratePayload,
  // It reads all customers, whoever asks: until it has a route that says who may, it is submitted by the product alone.
  internal: true,
  // A page of a PDF is computed without a pause.
  isolation: 'thread',
  concurrency: { worker: 2 },
  timeout: '30m',
  retry: exponential({ base: '5s', cap: '10m' }),
  dedupe: { key: payloadFingerprint, policy: 'until_result_expires', onDuplicate: 'existing' },
});
