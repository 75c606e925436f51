import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Cell } from '@antrean/platform';
import { PdfReader, type ReadPdf } from '../../../../../test/support/pdf-reader.js';
import { pdfDocument } from './pdf-document.js';
import type { PdfTable } from './pdf-table.js';

const table: PdfTable = {
  title: 'Customers and their orders',
  subtitle: '1 January 2026 – 31 March 2026',
  lang: 'en-GB',
  createdAt: new Date('2026-04-01T06:30:00Z'),
  layout: 'portrait',
  columns: [
    { head: 'Number', share: 1, align: 'right' },
    { head: 'Name', share: 4, align: 'left' },
    { head: 'Revenue', share: 2, align: 'right' },
  ],
  rows: [
    [1, 'Ana Bóveda', -12.5],
    [2, null, 1000],
  ],
};

const reader = new PdfReader();

afterAll(() => reader.close());

async function bytesOf(changes: Partial<PdfTable>): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  for await (const chunk of pdfDocument({ ...table, ...changes })) chunks.push(chunk);
  return Uint8Array.from(Buffer.concat(chunks));
}

async function read(changes: Partial<PdfTable>): Promise<ReadPdf> {
  return reader.read(await bytesOf(changes));
}

/** The text of each page. */
async function pagesOf(changes: Partial<PdfTable>): Promise<readonly string[]> {
  return (await read(changes)).pages;
}

/** Readers put blanks where letters stand apart, so it is the letters that are compared. */
function letters(text: string): string {
  return text.replaceAll(/\s+/g, '');
}

describe('a PDF of a table', () => {
  it('has title, subtitle, head, rows, totals, page and time', async () => {
    const [page, ...more] = await pagesOf({ totals: () => [[null, 'Total', '987.5 EUR']] });
    expect(more).toEqual([]);
    expect(page?.split('\n').map((line) => line.trim())).toEqual([
      'Customers and their orders',
      '1 January 2026 – 31 March 2026',
      'Number Name Revenue',
      expect.stringMatching(/^Customers and their orders · 1 January 2026 – 31 .* Page 1 ?of 1 2026-04-01 06:30 UTC$/),
      '1 Ana Bóveda -12.5',
      '2 1000',
      'Total 987.5 EUR',
    ]);
  });

  it('has further details below the title, each on lines of its own, also long ones', async () => {
    const [page = ''] = await pagesOf({ details: [`For: ${'Perkebunan '.repeat(18)}end`, 'ID'] });
    const lines = page.split('\n').map((line) => line.trim());
    expect(letters(page)).toContain(letters(`For: ${'Perkebunan '.repeat(18)}end`));
    expect(lines).toContain('ID');
  });

  it('tells its title and language', async () => {
    const { info } = await read({ title: 'Umsätze & <Kunden> 王' });
    expect(info).toMatchObject({
      Title: 'Umsätze & <Kunden> 王',
      Language: 'en-GB',
      Creator: 'Antrean',
      CreationDate: 'D:20260401063000Z',
    });
  });

  it('says so when there are no rows', async () => {
    const [page] = await pagesOf({ rows: [] });
    expect(page).toContain('Number Name Revenue');
    expect(page).toContain('No rows.');
    expect(page).toMatch(/Page 1 ?of 1 /);
  });

  it.each(['portrait', 'landscape'] as const)(
    'repeats the head on every page, and has each row once and whole: %s',
    async (layout) => {
      const rows = Array.from({ length: 300 }, (_, at): Cell[] => [
        at,
        `begin${at} ${'word '.repeat((at * 7) % 60)}end${at}`,
        at,
      ]);
      const pages = await pagesOf({ rows, layout, totals: () => [[null, 'Total', '1 EUR']] });
      expect(pages.length).toBeGreaterThan(10);
      for (const [index, page] of pages.entries()) {
        expect(page.match(/Number Name Revenue/g)).toHaveLength(1);
        expect(page).toMatch(new RegExp(`Page ${index + 1} ?of ${pages.length} `));
        expect(page.match(/begin(?=\d)/g)?.length).toBe(page.match(/end(?=\d)/g)?.length);
      }
      const found = Array.from(pages.join('\n').matchAll(/begin(\d+)[^]*?end(\d+)/g), ([, begin, end]) => [
        Number(begin),
        Number(end),
      ]);
      expect(found).toEqual(rows.map((_, at) => [at, at]));
      expect(pages.at(-1)).toContain('Total 1 EUR');
    },
  );

  it('counts a hundred pages and more', async () => {
    const rows = Array.from({ length: 110 }, (): Cell[] => ['x\n'.repeat(100), null, null]);
    const pages = await pagesOf({ rows });
    expect(pages).toHaveLength(110);
    expect(pages[99]).toMatch(/Page 100 ?of 110 /);
  });

  it.each([
    ['Latin', 'Ærøskøbing Łódź İstanbul Nguyễn Văn Ánh'],
    ['accents that stand alone', 'a\u0323\u0302q\u0308'],
    ['Greek', 'Ζωή Παπαδοπούλου ᾠδή'],
    ['Cyrillic', 'Зоя Щёкина Ґалаґан Қазақ'],
    ['Hebrew', 'זוי כהן'],
    ['Arabic', 'مرحبا بالعالم'],
    ['Persian and Urdu', 'پژوهش گچ ٹھیک'],
    ['Thai', 'สวัสดีชาวโลก น้ำ'],
    ['Chinese', '王小明 漢字 简体'],
    ['Japanese', 'ひらがな カタカナ 日本'],
    ['Korean', '김민수 대한민국 뷁'],
    ['money', '€ £ ¥ ₹ ₩ ₫ ₽'],
    ['what no font has', '🎉 ᚠ'],
  ])('has text that can be copied: %s', async (_script, text) => {
    const pages = await pagesOf({ rows: [[1, text, 1]], title: text });
    const wanted = letters(text.normalize('NFC'));
    expect(letters(pages[0] ?? '').split(wanted).length - 1).toBe(3);
  });

  it('has the letters of Devanagari, in the order in which they stand', async () => {
    const pages = await pagesOf({ rows: [[1, 'नमस्ते दुनिया', 1]] });
    const sorted = (text: string): string => Array.from(text).sort().join('');
    expect(sorted(pages[0]?.match(/\p{Script=Devanagari}+/gu)?.join('') ?? '')).toBe(sorted(letters('नमस्ते दुनिया')));
  });

  it('breaks long cells between words, long words after their marks, and the rest anywhere', async () => {
    const cells = [
      'one two three four five six seven',
      'first.last@subdomain.example.com',
      'x'.repeat(60),
      '王'.repeat(40),
      'สวัสดีชาวโลก'.repeat(4),
    ];
    const columns = [{ head: 'Text', share: 1, align: 'left' } as const, { head: 'Rest', share: 5, align: 'left' } as const];
    const [page = ''] = await pagesOf({ columns, rows: cells.map((cell) => [cell, null]) });
    const lines = page.split('\n').map((line) => line.trim());
    expect(lines).toEqual(
      expect.arrayContaining(['one two three four', 'five six seven', 'first.last@', 'subdomain.', 'example.com']),
    );
    for (const cell of cells) expect(letters(page)).toContain(letters(cell));
  });

  it('cuts a cell short that no page holds, and goes on', async () => {
    const [first, second, ...more] = await pagesOf({
      rows: [
        [1, 'line\n'.repeat(300), 1],
        [2, 'next', 2],
      ],
    });
    expect(first?.match(/line/g)?.length).toBeGreaterThan(40);
    expect(first).toContain('line…');
    expect(second).toContain('2 next 2');
    expect(more).toEqual([]);
    const [page] = await pagesOf({ rows: [[1, 'y'.repeat(100_000), 1]] });
    expect(/y{100,}…/.exec(letters(page ?? ''))?.[0]).toHaveLength(2_001);
  });

  it('takes text of any kind: control characters, halves of characters, marks of direction', async () => {
    const [page] = await pagesOf({
      rows: [[1, 'a\u0000b\tc\u001b[31m \ud800 d\u202ee\u2066f\u200bg', 1]],
      title: 'x'.repeat(10_000),
    });
    expect(page).toMatch(/Page 1 ?of 1 /);
  });

  it('refuses a row that has not as many cells as there are columns', async () => {
    await expect(pagesOf({ rows: [[1, 'a']] })).rejects.toThrow('A row has 2 cells, the table 3 columns.');
  });
});

describe('the making of a PDF', () => {
  it('comes to the same bytes whatever was made before, and at the same time', async () => {
    const [one, other] = ['مرحبا नमस्ते 王小明 Ana', 'پژوهش दुनिया 明王 김 Naa á'].map((title) => ({ title }));
    const first = await bytesOf({ ...one });
    const [again, between] = await Promise.all([bytesOf({ ...one }), bytesOf({ ...other })]);
    expect(Buffer.compare(again, first)).toBe(0);
    expect(Buffer.compare(await bytesOf({ ...other }), between)).toBe(0);
  });

  it('asks for rows as its bytes are taken, and lets go of them when no more are', async () => {
    let asked = 0;
    let isClosed = false;
    function* rows(): Generator<Cell[]> {
      try {
        for (;;) yield [asked++, 'name', 1];
      } finally {
        isClosed = true;
      }
    }
    let chunks = 0;
    for await (const _chunk of pdfDocument({ ...table, rows: rows() })) if (++chunks === 20) break;
    expect(asked).toBeLessThan(1_000);
    expect(isClosed).toBe(true);
  });

  it('keeps little of a page that is done: 20,000 rows', async () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void; // What the flag is for.
    const heap: number[] = [];
    function* rows(): Generator<Cell[]> {
      for (let at = 0; at < 20_000; at++) {
        if (at % 5_000 === 2_500) {
          collectGarbage();
          heap.push(process.memoryUsage().heapUsed);
        }
        yield [at, `Name ${at} of ${(at * 7919) % 104_729}`, at];
      }
    }
    let pages = 0;
    for await (const chunk of pdfDocument({ ...table, rows: rows() }))
      pages += chunk.toString('latin1').split('/Type /Page\n').length - 1;
    expect(pages).toBeGreaterThan(400);
    const [first = 0, , , last = 0] = heap;
    expect((last - first) / (pages * 0.75)).toBeLessThan(8_000);
  });
});
