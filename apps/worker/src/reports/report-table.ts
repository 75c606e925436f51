import type { Cell } from '@antrean/platform';

/** A column of a CSV file. */
export interface CsvColumn<Row> {
  readonly head: string;
  readonly cell: (row: Row) => Cell;
}

/** A column on paper; `share` and `align` as of `PdfColumn`. */
export interface PaperColumn<Row> extends CsvColumn<Row> {
  readonly share: number;
  readonly align: 'left' | 'right';
}

/** Counts rows as they go by. */
export interface Totals<Row> {
  add(row: Row): void;
  /** The last rows on paper: a cell each column. */
  rows(): readonly (readonly Cell[])[];
}

/** How rows of a kind stand in a document. */
export interface ReportTable<Row> {
  readonly title: string;
  readonly csv: readonly CsvColumn<Row>[];
  readonly paper: readonly PaperColumn<Row>[];
  readonly newTotals: () => Totals<Row>;
}
