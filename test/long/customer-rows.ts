import { Readable } from 'node:stream';

const BAD_EVERY = 40;
const ROWS_PER_PIECE = 1_000;

/** The rows of a file of customers; every 40th is one that is not taken. */
export class CustomerRows {
  readonly bad: number;
  readonly good: number;

  constructor(readonly count: number) {
    this.bad = Math.floor(count / BAD_EVERY);
    this.good = count - this.bad;
  }

  /** Of the rows that are not taken, the line that each is in, with its text. */
  *rejects(): Generator<{ readonly line: number; readonly row: string }> {
    for (let nth = 1; nth <= this.bad; nth += 1) {
      const row = nth * BAD_EVERY - 1;
      yield { line: row + 2, row: textOf(row) };
    }
  }

  /** Of the rows that are taken, in no order. */
  *emails(): Generator<string> {
    for (let row = 0; row < this.count; row += 1) if (!isBad(row)) yield emailOf(row);
  }

  /** As CSV with a header, in constant memory. */
  file(): Readable {
    return Readable.from(this.pieces(), { objectMode: false });
  }

  private *pieces(): Generator<Buffer> {
    yield Buffer.from('email,name,phone,country\n');
    for (let from = 0; from < this.count; from += ROWS_PER_PIECE) {
      const length = Math.min(ROWS_PER_PIECE, this.count - from);
      yield Buffer.from(Array.from({ length }, (_, nth) => `${textOf(from + nth)}\n`).join(''));
    }
  }
}

function isBad(row: number): boolean {
  return row % BAD_EVERY === BAD_EVERY - 1;
}

function textOf(row: number): string {
  const rest = `"Customer, ${row}",+62 21 ${5_550_000 + row},id`;
  if (!isBad(row)) return `${emailOf(row)},${rest}`;
  // Both ways to be bad: in a field, and as a whole.
  return row % (2 * BAD_EVERY) === BAD_EVERY - 1 ? `nobody-${row},${rest}` : `${emailOf(row)},${rest},one too many`;
}

/** Each another one, all over the alphabet, as an index has it hardest. */
function emailOf(row: number): string {
  return `c${(Math.imul(row, 2_654_435_761) >>> 0).toString(36)}@example.com`;
}
