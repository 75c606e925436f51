import { ByteWindow } from './byte-window.js';
import type { CsvPlace } from './csv-place.js';
import { readStart } from './csv-start.js';
import { RowReader, type CustomerRow } from './row-reader.js';

/**
 * Reads customers from the bytes of a CSV file, which need not all be there at once: what is held is one row and 64 KiB.
 * Blank rows are left out; a row that cannot be taken comes as `rejected`, with what is wrong with it.
 *
 * The charset is that of a byte order mark, else the given one, else UTF-16 where every other byte is zero. Else it stays
 * open until the first row that is not ASCII: the 64 KiB from there tell UTF-8 from Windows-1252. From then on it stays
 * what it is, and a row that does not fit it is rejected.
 * @param start the charset, when the uploader named it; or a place to go on at: the bytes are then those from its offset on.
 * @throws {PermanentError} see {@link UnfitFileCode}
 */
export async function* readCustomerCsv(
  bytes: AsyncIterable<Uint8Array>,
  start: { readonly charset?: string } | CsvPlace,
): AsyncGenerator<CustomerRow, void, undefined> {
  const window = new ByteWindow(bytes, 'offset' in start ? start.offset : 0);
  try {
    const rows = new RowReader(window, 'offset' in start ? start : await readStart(window, start.charset));
    for (let row = await rows.next(); row !== undefined; row = await rows.next()) yield row;
  } finally {
    await window.close();
  }
}
