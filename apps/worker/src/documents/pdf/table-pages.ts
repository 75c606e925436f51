import { cellText, type Cell } from '@antrean/platform';
import type { FontBook, Weight } from './font-book.js';
import { LateContent } from './late-content.js';
import { cutLines, oneLine, textLine, textLines, type TextLine } from './lines.js';
import { CELL, HAIRLINE, HEAD, HEAD_GROUND, LINE, NOTE, PAD, PAGE, STRONG_LINE, SUBTITLE, TITLE } from './page-style.js';
import type { PdfColumn, PdfTable } from './pdf-table.js';
import { Pen, type Ink } from './pen.js';

/** The lines of each cell of a row. */
type RowLines = readonly (readonly TextLine[])[];

/** What a cell, a title or a head may have of text; the rest of a longer one is left out. */
const MAX_TEXT = 2_000;
const MAX_HEAD_LINES = 4;
const MAX_DETAIL_LINES = 4;

/** Puts a title, and a table below it, on as many pages as it takes. A row is never cut in two: it goes to the next page whole. */
export class TablePages {
  private readonly pen: Pen;
  private readonly width: number;
  private readonly height: number;
  private readonly inner: number;
  private readonly places: readonly { readonly column: PdfColumn; readonly x: number; readonly width: number }[];
  private readonly pageCount: LateContent;
  private head: RowLines = [];
  /** The height that rows have on the first page, which has the least. */
  private room = 0;
  private footTitle: TextLine = { runs: [], width: 0 };
  private page = 0;
  private rows = 0;
  private y = 0;

  private constructor(
    private readonly doc: PDFKit.PDFDocument,
    private readonly book: FontBook,
    private readonly table: PdfTable,
  ) {
    this.pen = new Pen(doc);
    this.width = table.layout === 'portrait' ? PAGE.short : PAGE.long;
    this.height = table.layout === 'portrait' ? PAGE.long : PAGE.short;
    this.inner = this.width - 2 * PAGE.margin;
    const shares = table.columns.reduce((sum, { share }) => sum + share, 0);
    let x: number = PAGE.margin;
    this.places = table.columns.map((column) => {
      const place = { column, x, width: (this.inner * column.share) / shares };
      x += place.width;
      return place;
    });
    this.pageCount = new LateContent(doc, 'PageCount', this.width, this.height);
  }

  static async begin(doc: PDFKit.PDFDocument, book: FontBook, table: PdfTable): Promise<TablePages> {
    const pages = new TablePages(doc, book, table);
    const head = await pages.lines(
      table.columns.map((column) => column.head),
      'bold',
      HEAD,
    );
    pages.head = head.map((lines) => cutLines(lines, MAX_HEAD_LINES, 'bold', book));
    const inFoot = [table.title, table.subtitle].filter((text) => text !== undefined).join(' · ');
    const foot = await book.prepare(shortened(inFoot), 'regular');
    pages.footTitle = oneLine(foot, (pages.inner * 0.4) / NOTE.size, 'regular', book);
    pages.nextPage(await pages.titleLines());
    pages.room = pages.bottom - pages.y;
    return pages;
  }

  async add(row: readonly Cell[]): Promise<void> {
    const lines = await this.rowLines(row, 'regular');
    const height = this.makeRoom(lines);
    this.drawRow(lines, CELL);
    this.y += height;
    this.pen.rule(PAGE.margin, this.y, this.inner, 0.5, HAIRLINE);
    this.rows++;
  }

  /** Nothing can be added after it. */
  async end(): Promise<void> {
    if (this.rows === 0) this.drawNoRows();
    for (const [index, row] of (this.table.totals?.() ?? []).entries()) {
      const lines = await this.rowLines(row, 'bold');
      const height = this.makeRoom(lines);
      if (index === 0) this.pen.rule(PAGE.margin, this.y, this.inner, 1, STRONG_LINE);
      this.drawRow(lines, CELL);
      this.y += height;
    }
    this.pageCount.fill(() => {
      this.pen.text(this.note(`of ${this.page}`), this.width / 2, this.footBaseline, NOTE);
    });
  }

  private get bottom(): number {
    return this.height - PAGE.margin - PAGE.foot;
  }

  private get footBaseline(): number {
    return this.height - PAGE.margin;
  }

  private nextPage(title: readonly (readonly [TextLine, Ink])[]): void {
    const done = this.doc.page as PDFKit.PDFPage | null; // There is none at first.
    this.doc.addPage();
    // It is written. PDFKit keeps its dictionary for the list of pages, which needs no more than its number.
    if (done !== null) done.dictionary.data = { Pattern: undefined, Annots: undefined };
    this.page++;
    this.y = PAGE.margin;
    for (const [line, ink] of title) {
      this.pen.text(line, PAGE.margin, this.y + ink.size * LINE.baseline, ink);
      this.y += ink.size * LINE.height;
    }
    if (title.length > 0) this.y += 10;
    const height = heightOf(this.head, HEAD);
    this.pen.box(PAGE.margin, this.y, this.inner, height, HEAD_GROUND);
    this.drawRow(this.head, HEAD);
    this.y += height;
    this.pen.rule(PAGE.margin, this.y, this.inner, 0.8, STRONG_LINE);
    this.drawFoot();
  }

  /** `of m` stands where the middle of the page is, so that `page n` can be written before m is known. */
  private drawFoot(): void {
    this.pen.rule(PAGE.margin, this.footBaseline - NOTE.size - 6, this.inner, 0.4, HAIRLINE);
    this.pen.text(this.footTitle, PAGE.margin, this.footBaseline, NOTE);
    const page = this.note(`Page ${this.page} `);
    this.pen.text(page, this.width / 2 - page.width * NOTE.size, this.footBaseline, NOTE);
    this.pageCount.place();
    const created = this.note(`${this.table.createdAt.toISOString().slice(0, 16).replace('T', ' ')} UTC`);
    this.pen.text(created, this.width - PAGE.margin - created.width * NOTE.size, this.footBaseline, NOTE);
  }

  private drawNoRows(): void {
    this.pen.text(this.note('No rows.'), PAGE.margin + PAD.x, this.y + PAD.y + CELL.size * LINE.baseline, {
      ...NOTE,
      size: CELL.size,
    });
    this.y += CELL.size * LINE.height + 2 * PAD.y;
  }

  private drawRow(row: RowLines, ink: Ink): void {
    for (const [index, { column, x, width }] of this.places.entries()) {
      let baseline = this.y + PAD.y + ink.size * LINE.baseline;
      for (const line of row[index] ?? []) {
        const left = column.align === 'right' ? x + width - PAD.x - line.width * ink.size : x + PAD.x;
        this.pen.text(line, left, baseline, ink);
        baseline += ink.size * LINE.height;
      }
    }
  }

  /** Goes to the next page when the row does not fit on this one. */
  private makeRoom(row: RowLines): number {
    const height = heightOf(row, CELL);
    if (this.y + height > this.bottom) this.nextPage([]);
    return height;
  }

  private async titleLines(): Promise<[TextLine, Ink][]> {
    const { title, subtitle, details = [] } = this.table;
    const above = await this.book.prepare(shortened(title), 'bold');
    const lines = textLines(above, this.inner / TITLE.size, 'bold', this.book);
    const below: TextLine[] = [];
    for (const text of [subtitle, ...details].filter((each) => each !== undefined)) {
      const prepared = await this.book.prepare(shortened(text), 'regular');
      const wrapped = textLines(prepared, this.inner / SUBTITLE.size - 1, 'regular', this.book);
      below.push(...cutLines(wrapped, MAX_DETAIL_LINES, 'regular', this.book));
    }
    return [
      ...cutLines(lines, 3, 'bold', this.book).map((line): [TextLine, Ink] => [line, TITLE]),
      ...below.map((line): [TextLine, Ink] => [line, SUBTITLE]),
    ];
  }

  private async rowLines(row: readonly Cell[], weight: Weight): Promise<RowLines> {
    const { columns } = this.table;
    if (row.length !== columns.length)
      throw new RangeError(`A row has ${row.length} cells, the table ${columns.length} columns.`);
    const lines = await this.lines(row.map(cellText), weight, CELL);
    const most = Math.floor((this.room - 2 * PAD.y) / (CELL.size * LINE.height));
    return lines.map((cell) => cutLines(cell, most, weight, this.book));
  }

  private async lines(texts: readonly string[], weight: Weight, { size }: Ink): Promise<RowLines> {
    const lines: TextLine[][] = [];
    for (const [index, { width }] of this.places.entries()) {
      const text = await this.book.prepare(shortened(texts[index] ?? ''), weight);
      lines.push(textLines(text, (width - 2 * PAD.x) / size, weight, this.book));
    }
    return lines;
  }

  /** Of ASCII, for which the fonts are always there. */
  private note(text: string): TextLine {
    return textLine(text, 'regular', this.book);
  }
}

function heightOf(row: RowLines, { size }: Ink): number {
  return Math.max(1, ...row.map((lines) => lines.length)) * size * LINE.height + 2 * PAD.y;
}

function shortened(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
}
