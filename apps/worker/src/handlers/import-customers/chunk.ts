import type { CustomerEntry, ImportReject } from '@antrean/shop';
import type { CsvPlace } from './csv/csv-place.js';
import type { CustomerRow } from './csv/row-reader.js';

/** Rows that are written in one transaction. */
export interface Chunk {
  readonly customers: readonly CustomerEntry[];
  readonly rejects: readonly ImportReject[];
  /** Where the chunk after it begins. */
  readonly next: CsvPlace;
}

const MOST_ROWS = 500;
/** Of text in the file, in characters: rows may be long. */
const MOST_TEXT = 1024 * 1024;

/** Puts rows together, in their order. */
export async function* chunksOf(rows: AsyncIterable<CustomerRow>): AsyncGenerator<Chunk, void, undefined> {
  let gathered: CustomerRow[] = [];
  let length = 0;
  for await (const row of rows) {
    gathered.push(row);
    length += row.text.length;
    if (gathered.length < MOST_ROWS && length < MOST_TEXT) continue;
    yield chunkOf(gathered, row.next);
    gathered = [];
    length = 0;
  }
  const last = gathered.at(-1);
  if (last !== undefined) yield chunkOf(gathered, last.next);
}

function chunkOf(rows: readonly CustomerRow[], next: CsvPlace): Chunk {
  return {
    customers: rows.flatMap((row) => (row.kind === 'customer' ? [entryOf(row)] : [])),
    rejects: rows.flatMap((row) => (row.kind === 'rejected' ? [rejectOf(row)] : [])),
    next,
  };
}

function entryOf({ customer: { email, name, phone, country } }: CustomerRow & { readonly kind: 'customer' }): CustomerEntry {
  return { email, name: name ?? undefined, phone: phone ?? undefined, country: country ?? undefined };
}

function rejectOf({ line, column, reason, text }: CustomerRow & { readonly kind: 'rejected' }): ImportReject {
  return { line, column, reason, row: text };
}
