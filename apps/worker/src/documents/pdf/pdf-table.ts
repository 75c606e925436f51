import type { Cell } from '@antrean/platform';

export interface PdfColumn {
  readonly head: string;
  /** The part of the width that it gets, beside the shares of the others. */
  readonly share: number;
  /** Numbers stand right. */
  readonly align: 'left' | 'right';
}

export interface PdfTable {
  readonly title: string;
  /** What stands below the title, such as the period. */
  readonly subtitle?: string;
  /** More of the kind, each on a line of its own, or on several where it is long. */
  readonly details?: readonly string[];
  /** The language of the document (BCP 47), for screen readers. */
  readonly lang: string;
  readonly createdAt: Date;
  readonly layout: 'portrait' | 'landscape';
  readonly columns: readonly PdfColumn[];
  /** As many cells each as there are columns, written as in CSV. */
  readonly rows: AsyncIterable<readonly Cell[]> | Iterable<readonly Cell[]>;
  /** Asked for after the last row: rows in bold, null where a column has no total. */
  readonly totals?: () => readonly (readonly Cell[])[];
}
