import { Length, Matches } from 'class-validator';
import { defineJob, quadratic } from '@antrean/jobs';
import { SINGLE_LINE } from './single-line.js';

/** Of which order. */
export class InvoiceRenderPayload {
  @Matches(SINGLE_LINE, { message: '$property must not hold line breaks or other control characters' })
  @Length(1, 64, { message: '$property must have 1 to 64 characters' })
  readonly order_id!: string;
}

/** Writes the invoice of an order into the storage, where it is kept as long as the order. Result: `{file_key, bytes}`. */
export const InvoiceRender = defineJob('invoice.render', {
  payload: InvoiceRenderPayload,
  // It reads any order: only those who take one ask for its invoice.
  internal: true,
  // A page of a PDF is computed without a pause.
  isolation: 'thread',
  concurrency: { worker: 2 },
  timeout: '2m',
  attempts: 13,
  // What it may kill is its own thread.
  maxCrashes: 10,
  // 10 s, 40 s, 90 s, … 10 minutes, 73 minutes together: a storage that hangs for an hour, which uses attempts, costs no invoice.
  retry: quadratic({ base: '10s', cap: '10m' }),
});
