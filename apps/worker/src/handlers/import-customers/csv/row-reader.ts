import { isAscii } from 'node:buffer';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ByteWindow } from './byte-window.js';
import { charsetOf, looksLikeUtf8, utf8OrWindows1252, type Charset } from './charset.js';
import { READ_AHEAD, type CsvPlace } from './csv-place.js';
import { readCustomer, type CustomerFields, type CustomerTexts } from './customer-fields.js';
import { fieldText } from './field-text.js';
import { COLUMNS, type Column } from './header.js';
import { RecordScanner, type Scan } from './record-scanner.js';
import { bytesOfNoText, mixedCharsets, raggedRow, strayText, tooLongRow, unclosedQuote, type RowFault } from './row-fault.js';
import { unfitFile } from './unfit-file.js';

interface RowPlace {
  /** The line at which the row begins, counted from 1. */
  readonly line: number;
  /** The row as it stands in the file, without its line break. Of one that is too long, the beginning. */
  readonly text: string;
  /** Where the row after it begins. */
  readonly next: CsvPlace;
}

export type CustomerRow =
  | (RowPlace & { readonly kind: 'customer'; readonly customer: CustomerFields })
  | (RowPlace & { readonly kind: 'rejected' } & RowFault);

type RecordScan = Extract<Scan, { kind: 'record' }>;

/** A row is held whole while it is read, so its length is bounded, in bytes. */
const MAX_ROW = 1024 * 1024;
/** Of a row that is too long, the bytes that are told. */
const TOLD_OF_LONG_ROW = 4 * 1024;
/** To find that a quote is not closed takes a look at all the bytes that a row may have: a file is looked at so often, and no more. */
const MOST_UNCLOSED_QUOTES = 100;
/** After so long others have a turn. Most of what is read is there already, so nothing would come between by itself. */
const TURN_MS = 20;

/** Reads the rows after the header, one at a time. */
export class RowReader {
  private readonly scanner: RecordScanner;
  private readonly columnAt: ReadonlyMap<Column, number>;
  private charset: Charset;
  private turnBegan = performance.now();

  constructor(
    private readonly window: ByteWindow,
    private place: CsvPlace,
  ) {
    this.charset = charsetOf(place.charset ?? 'utf-8');
    this.scanner = new RecordScanner(this.charset, place.delimiter);
    this.columnAt = new Map(place.columns.flatMap((column, at) => (column === null ? [] : [[column, at] as const])));
  }

  /** The next row that is not blank; undefined after the last. @throws {PermanentError} `import_quotes_unclosed` */
  async next(): Promise<CustomerRow | undefined> {
    for (;;) {
      if (performance.now() - this.turnBegan > TURN_MS) await this.giveTurn();
      const scan = await this.scan();
      if (scan === undefined) return undefined;
      if (scan.kind === 'partial') return this.unreadable(scan.inQuotes ? this.openQuote() : tooLongRow(MAX_ROW));
      if (this.scanner.hasTextBefore(this.window.bytes, scan.end)) return this.row(scan);
      this.goOn(scan.next, scan.lines);
    }
  }

  /** One that comes out as `partial` is longer than a row may be, or has a quote open at the end of the file. */
  private async scan(): Promise<Scan | undefined> {
    for (;;) {
      const { bytes, ended } = this.window;
      if (bytes.length === 0 && ended) return undefined;
      const isLast = ended && bytes.length <= MAX_ROW;
      const scan = this.scanner.scan(bytes.subarray(0, MAX_ROW), isLast);
      // It takes a byte beyond the bound to be too long, so that the same rows are, however the bytes arrive.
      if (scan.kind === 'record' || isLast || bytes.length > MAX_ROW) return scan;
      // Twice as much, since the row is scanned from its beginning each time.
      await this.window.fill(Math.min(2 * bytes.length + READ_AHEAD, MAX_ROW + 1));
    }
  }

  private async giveTurn(): Promise<void> {
    await nextTurn();
    this.turnBegan = performance.now();
  }

  private async row(scan: RecordScan): Promise<CustomerRow> {
    await this.settleCharset(scan.end, scan.next);
    const row = this.window.bytes.subarray(0, scan.end);
    const { line, columns, delimiter, isGuess } = this.place;
    this.goOn(scan.next, scan.lines);
    const place = { line, text: this.charset.decodeLossy(row), next: this.place };
    if (scan.strayTextIn !== undefined) {
      return { kind: 'rejected', ...place, ...strayText(columns[scan.strayTextIn] ?? null) };
    }
    if (scan.fields.length !== columns.length) {
      return { kind: 'rejected', ...place, ...raggedRow(scan.fields.length, columns, delimiter) };
    }
    if (isGuess && this.charset.name === 'windows-1252' && looksLikeUtf8(row)) {
      return { kind: 'rejected', ...place, ...mixedCharsets() };
    }
    const texts = this.texts(row, scan);
    const read = 'reason' in texts ? texts : readCustomer(texts);
    return 'reason' in read ? { kind: 'rejected', ...place, ...read } : { kind: 'customer', ...place, customer: read };
  }

  private texts(row: Buffer, { fields }: RecordScan): CustomerTexts | RowFault {
    const texts = { email: '', name: '', phone: '', country: '' };
    for (const column of COLUMNS) {
      const field = fields[this.columnAt.get(column) ?? -1];
      if (field === undefined) continue;
      const text = fieldText(row, field, this.charset);
      if (text === undefined) return bytesOfNoText(column, this.charset.name);
      texts[column] = text;
    }
    return texts;
  }

  /** The first bytes that are not ASCII settle it, with what follows them. */
  private async settleCharset(length: number, next: number): Promise<void> {
    if (this.place.charset !== null || isAscii(this.window.bytes.subarray(0, length))) return;
    const evidence = Math.max(next, READ_AHEAD);
    await this.window.fill(evidence);
    this.charset = utf8OrWindows1252(this.window.bytes.subarray(0, evidence));
    this.place = { ...this.place, charset: this.charset.name };
  }

  private openQuote(): RowFault {
    const { line, unclosedQuotes: before = 0 } = this.place;
    this.place = { ...this.place, unclosedQuotes: before + 1 };
    if (before + 1 < MOST_UNCLOSED_QUOTES) return unclosedQuote(MAX_ROW);
    throw unfitFile(
      'import_quotes_unclosed',
      `${MOST_UNCLOSED_QUOTES} rows have a double quote that opens a field and is not closed, the last of them in line ${line}. ` +
        'Close them, or put fields that have quotes in them into quotes, with each of theirs written twice ("").',
    );
  }

  /**
   * Rejects the first line of a row that has no end, and goes on after it. Where a quote is not closed, the lines after
   * it are most likely rows of their own.
   */
  private async unreadable(fault: RowFault): Promise<CustomerRow> {
    const { line } = this.place;
    const { bytes, ended } = this.window;
    const lineBreak = this.scanner.lineBreak(bytes.subarray(0, MAX_ROW), ended && bytes.length <= MAX_ROW);
    const told = Math.min(lineBreak?.start ?? bytes.length, TOLD_OF_LONG_ROW);
    await this.settleCharset(told, told);
    const start = this.window.bytes.subarray(0, told);
    const isWhole = lineBreak === undefined ? ended && told === bytes.length : told === lineBreak.start;
    const text = this.charset.decodeLossy(start) + (isWhole ? '' : '…');
    if (lineBreak === undefined) await this.dropLine();
    else this.goOn(lineBreak.end, 1);
    return { kind: 'rejected', line, text, next: this.place, ...fault };
  }

  private async dropLine(): Promise<void> {
    for (;;) {
      const { bytes, ended } = this.window;
      const lineBreak = this.scanner.lineBreak(bytes, ended);
      if (lineBreak !== undefined) {
        this.goOn(lineBreak.end, 1);
        return;
      }
      // The last character may be the first half of a line break.
      this.goOn(ended ? bytes.length : Math.max(0, (bytes.length & ~1) - 2), 0);
      if (ended) return;
      await this.window.fill(READ_AHEAD);
    }
  }

  private goOn(length: number, lines: number): void {
    this.window.drop(length);
    this.place = { ...this.place, offset: this.window.offset, line: this.place.line + lines };
  }
}
