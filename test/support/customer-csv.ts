import { PermanentError } from '@antrean/jobs';
import type { CsvPlace } from '../../apps/worker/src/handlers/import-customers/csv/csv-place.js';
import { readCustomerCsv } from '../../apps/worker/src/handlers/import-customers/csv/customer-csv.js';
import type { CustomerRow } from '../../apps/worker/src/handlers/import-customers/csv/row-reader.js';

/** Where a reading begins. */
export type Start = { readonly charset?: string } | CsvPlace;

export async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  await Promise.resolve();
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

export async function rowsOf(file: Buffer | string, start: Start = {}, size = 1_000_000): Promise<CustomerRow[]> {
  const bytes = typeof file === 'string' ? Buffer.from(file) : file;
  const rows: CustomerRow[] = [];
  for await (const row of readCustomerCsv(inPieces(bytes, size), start)) rows.push(row);
  return rows;
}

/** `2 a@b.c|Name|phone|DE` for a customer, `2! name: why` for a rejected row. */
export function told(row: CustomerRow): string {
  if (row.kind === 'rejected') return `${row.line}! ${row.column ?? '-'}: ${row.reason}`;
  const { email, name, phone, country } = row.customer;
  return `${row.line} ${[email, name, phone, country].map((text) => text ?? '').join('|')}`;
}

export async function read(file: Buffer | string, start: Start = {}): Promise<string[]> {
  return (await rowsOf(file, start)).map(told);
}

export async function faultOf(file: Buffer | string, start: Start = {}): Promise<{ code: string; message: string }> {
  const error: unknown = await rowsOf(file, start).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof PermanentError)) throw new Error(`It should not be taken: ${String(error)}`);
  return { code: error.code, message: error.message };
}

export function utf16(text: string, order: 'le' | 'be', hasMark: boolean): Buffer {
  const bytes = Buffer.from((hasMark ? '\ufeff' : '') + text, 'utf16le');
  return order === 'le' ? bytes : bytes.swap16();
}

export const HEADER = 'email,name,phone,country\n';
