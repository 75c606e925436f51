import { csvDocument, type Cell } from '@antrean/platform';
import type { MissingCharacters } from '../documents/missing-characters.js';
import { pdfDocument } from '../documents/pdf/pdf-document.js';
import type { ReportTable } from './report-table.js';

/** The bytes of a table as CSV; see `csvDocument`. */
export function csvOf<Row>(
  { csv }: ReportTable<Row>,
  rows: AsyncIterable<Row>,
  options: { readonly hasByteOrderMark: boolean },
): AsyncIterable<Buffer> {
  const heads = csv.map(({ head }) => head);
  return csvDocument({ heads, rows: cellsOf(rows, (row) => csv.map(({ cell }) => cell(row))), ...options });
}

/** The bytes of a table on paper, with its totals; see `pdfDocument`. */
export function pdfOf<Row>(
  { title, paper, newTotals }: ReportTable<Row>,
  rows: AsyncIterable<Row>,
  subtitle: string,
  missing: MissingCharacters,
): AsyncIterable<Buffer> {
  const totals = newTotals();
  const cells = cellsOf(rows, (row) => {
    totals.add(row);
    return paper.map(({ cell }) => cell(row));
  });
  return pdfDocument(
    {
      ...{ title, subtitle, lang: 'en', createdAt: new Date(), layout: 'landscape' },
      columns: paper.map(({ head, share, align }) => ({ head, share, align })),
      rows: cells,
      totals: () => totals.rows(),
    },
    missing,
  );
}

async function* cellsOf<Row>(rows: AsyncIterable<Row>, cells: (row: Row) => readonly Cell[]): AsyncGenerator<readonly Cell[]> {
  for await (const row of rows) yield cells(row);
}
