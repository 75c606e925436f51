import { cellText, type Cell } from './cell.js';
import { withFormulaGuard } from './formula-guard.js';
import { utf8Chunks } from './utf8-chunks.js';

export interface CsvTable {
  readonly heads: readonly string[];
  /** As many cells each as there are heads. */
  readonly rows: AsyncIterable<readonly Cell[]> | Iterable<readonly Cell[]>;
  /** Begin with a byte order mark, without which Excel reads UTF-8 as the charset of its country. */
  readonly hasByteOrderMark: boolean;
}

/**
 * A table as CSV (RFC 4180): UTF-8, commas, CRLF, a header. Rows are asked for as the bytes are taken.
 * Text that a spreadsheet would take for a formula gets a single quote before it; numbers are written bare, also negative ones.
 */
export function csvDocument(table: CsvTable): AsyncGenerator<Buffer, void, undefined> {
  return utf8Chunks(lines(table));
}

const BYTE_ORDER_MARK = '\ufeff';

async function* lines({ heads, rows, hasByteOrderMark }: CsvTable): AsyncGenerator<string, void, undefined> {
  yield `${hasByteOrderMark ? BYTE_ORDER_MARK : ''}${line(heads)}`;
  for await (const row of rows) {
    if (row.length !== heads.length) throw new RangeError(`A row has ${row.length} cells, the header ${heads.length}.`);
    yield line(row);
  }
}

function line(cells: readonly Cell[]): string {
  const text = cells.map(field).join(',');
  // A line with nothing in it would be no row, where a row has one cell.
  return `${text === '' ? '""' : text}\r\n`;
}

/** In quotes also where only some readers need them: those that take other delimiters, or drop blanks. */
const NEEDS_QUOTES = /[",;\t\r\n]|^\s|\s$/;

function field(cell: Cell): string {
  if (typeof cell !== 'string') return cellText(cell);
  const text = withFormulaGuard(cell);
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
