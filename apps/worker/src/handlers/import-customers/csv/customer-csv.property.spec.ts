import fc from 'fast-check';
import { withoutFormulaGuard } from '@antrean/platform';
import type { CsvPlace } from './csv-place.js';
import { readCustomerCsv } from './customer-csv.js';
import type { CustomerRow } from './row-reader.js';

type Start = { readonly charset?: string } | CsvPlace;

/** A file cut at the places where `sizes`, over and over, put them. */
async function* cut(bytes: Buffer, sizes: readonly number[]): AsyncGenerator<Buffer> {
  await Promise.resolve();
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

async function read(bytes: Buffer, start: Start, sizes: readonly number[]): Promise<CustomerRow[]> {
  const rows: CustomerRow[] = [];
  for await (const row of readCustomerCsv(cut(bytes, sizes), start)) rows.push(row);
  return rows;
}

/** Reads it from the place after each row, as a run does that follows a crash. */
async function expectSameFromEveryPlace(file: Buffer, rows: readonly CustomerRow[], sizes: readonly number[]): Promise<void> {
  for (const [index, { next }] of rows.entries()) {
    const place = JSON.parse(JSON.stringify(next)) as CsvPlace;
    expect(await read(file.subarray(place.offset), place, sizes)).toEqual(rows.slice(index + 1));
  }
}

const sizes = fc.array(fc.integer({ min: 1, max: 70 }), { minLength: 1, maxLength: 5 });

interface Encoding {
  readonly label: string;
  readonly charset?: string;
  readonly encode: (text: string) => Buffer;
  /** What its text may have. */
  readonly unit: fc.Arbitrary<string>;
}

const anything = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 });
// Letters that never look like UTF-8 side by side.
const western = fc.constantFrom(...Array.from('abcXYZ éñüßÀ09_$'));
const marked = (text: string): string => `\ufeff${text}`;
const utf16be = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16();

const ENCODINGS: readonly Encoding[] = [
  { label: 'UTF-8', encode: (text) => Buffer.from(text), unit: anything },
  { label: 'UTF-8, named', charset: 'UTF-8', encode: (text) => Buffer.from(text), unit: anything },
  { label: 'UTF-8 with a mark', encode: (text) => Buffer.from(marked(text)), unit: anything },
  { label: 'UTF-16LE with a mark', encode: (text) => Buffer.from(marked(text), 'utf16le'), unit: anything },
  { label: 'UTF-16BE with a mark', encode: (text) => utf16be(marked(text)), unit: anything },
  { label: 'UTF-16BE, named', charset: 'utf-16be', encode: utf16be, unit: anything },
  { label: 'UTF-16LE without a mark', encode: (text) => Buffer.from(text, 'utf16le'), unit: western },
  { label: 'UTF-16BE without a mark', encode: utf16be, unit: western },
  { label: 'Windows-1252', encode: (text) => Buffer.from(text, 'latin1'), unit: western },
];

interface Written {
  readonly encoding: Encoding;
  readonly file: Buffer;
  readonly customers: readonly { readonly email: string; readonly name: string | null }[];
}

/** Any table, written in any dialect and charset. What no rule looks at (`notes`) may hold whatever quotes can hold. */
const written: fc.Arbitrary<Written> = fc.constantFrom(...ENCODINGS).chain((encoding) => {
  const text = fc.string({ unit: encoding.unit, maxLength: 12 });
  const notes = fc.string({
    unit: fc.oneof(encoding.unit, fc.constantFrom('"', ',', ';', '\t', '\r', '\n', ' ')),
    maxLength: 12,
  });
  const row = fc.record({ email: fc.stringMatching(/^[a-z]{1,5}@[a-z]{1,5}\.example$/), name: text, notes });
  return fc
    .record({
      rows: fc.array(row, { maxLength: 6 }),
      order: fc.shuffledSubarray(['email', 'name', 'notes'] as const, { minLength: 3 }),
      delimiter: fc.constantFrom(',', ';', '\t'),
      breaks: fc.array(fc.constantFrom('\n', '\r\n', '\r'), { minLength: 1, maxLength: 4 }),
      quotes: fc.array(fc.boolean(), { minLength: 1, maxLength: 5 }),
      endsWithBreak: fc.boolean(),
    })
    .map(({ rows, order, delimiter, breaks, quotes, endsWithBreak }) => {
      let fields = 0;
      const clean = rows.map((each) => ({ ...each, name: each.name.replaceAll(/[\p{Cc}\u2028\u2029\ufffd]/gu, '').trim() }));
      const line = (cells: readonly string[]): string =>
        cells
          .map((cell) => {
            const must = /["\r\n,;\t]|^\s/.test(cell);
            return must || quotes[fields++ % quotes.length] === true ? `"${cell.replaceAll('"', '""')}"` : cell;
          })
          .join(delimiter);
      const lines = [line(order), ...clean.map((each) => line(order.map((column) => each[column])))];
      const end = (at: number): string => (at < lines.length - 1 || endsWithBreak ? (breaks[at % breaks.length] ?? '\n') : '');
      return {
        encoding,
        file: encoding.encode(lines.map((each, at) => each + end(at)).join('')),
        customers: clean.map(({ email, name }) => ({ email, name: withoutFormulaGuard(name) || null })),
      };
    });
});

describe('a table', () => {
  it('reads back the same in every dialect and charset, cut anywhere, and from every row on', async () => {
    await fc.assert(
      fc.asyncProperty(written, sizes, async ({ encoding: { charset }, file, customers }, pieces) => {
        const start = charset === undefined ? {} : { charset };
        const rows = await read(file, start, [1_000_000]);
        expect(
          rows.map((row) => (row.kind === 'customer' ? { email: row.customer.email, name: row.customer.name } : row)),
        ).toEqual(customers);
        expect(await read(file, start, pieces)).toEqual(rows);
        await expectSameFromEveryPlace(file, rows, pieces);
      }),
      { numRuns: 100 },
    );
  });
});

describe('any mixture of quotes, delimiters and line breaks', () => {
  const soup = fc.string({
    unit: fc.oneof(fc.constantFrom('"', '"', ',', ',', '\n', '\r', '\r\n', ' ', 'a', 'a@b.example,'), fc.constantFrom('é', '王')),
    maxLength: 40,
  });

  it('gives the same rows, cut anywhere, and from every row on; each row is told as it stands at its line', async () => {
    await fc.assert(
      fc.asyncProperty(soup, sizes, fc.constantFrom('utf8', 'utf16le', 'latin1'), async (text, pieces, encoding) => {
        const file = Buffer.from(
          `${encoding === 'utf16le' ? '\ufeff' : ''}email,name\n${text.replaceAll('王', encoding === 'latin1' ? 'é' : '王')}`,
          encoding,
        );
        const rows = await read(file, {}, [1_000_000]);
        expect(await read(file, {}, pieces)).toEqual(rows);
        await expectSameFromEveryPlace(file, rows, pieces);
        const lines = file.toString(encoding).split(/\r\n|\r|\n/);
        for (const { line, text: row } of rows) {
          expect(
            lines
              .slice(line - 1)
              .join('\n')
              .startsWith(row.replaceAll(/\r\n|\r/g, '\n')),
          ).toBe(true);
        }
      }),
      { numRuns: 400 },
    );
  });
});
