import { FontBook } from './font-book.js';
import { oneLine, textLines, type TextLine } from './lines.js';

let book: FontBook;

beforeAll(async () => {
  book = await FontBook.open();
});

function runsOf(line: TextLine | undefined): string[] {
  return line?.runs.map(({ text, direction }) => `${direction} ${text}`) ?? [];
}

async function lines(text: string, maxWidth: number): Promise<string[]> {
  return textLines(await book.prepare(text, 'regular'), maxWidth, 'regular', book).map((line) =>
    line.runs.map((run) => run.text).join(''),
  );
}

async function order(text: string): Promise<string[]> {
  return runsOf(textLines(await book.prepare(text, 'regular'), Infinity, 'regular', book)[0]);
}

describe('lines of text', () => {
  it.each<[text: string, width: number, lines: string[]]>([
    ['one two three', 100, ['one two three']],
    ['one two three', 5, ['one two', 'three']],
    ['one\ntwo\r\n\r\nthree', 100, ['one', 'two', '', 'three']],
    ['  one   two  ', 100, ['one   two']],
    ['ab cdefghijklmnop', 4, ['ab cdef', 'ghijklm', 'nop']],
    ['me@subdomain.example.com', 8, ['me@subdomain.', 'example.com']],
    ['王小明、漢字', 3, ['王', '小明、', '漢字']],
    ['', 5, ['']],
  ])('%j, within %d', async (text, width, expected) => {
    expect(await lines(text, width)).toEqual(expected);
  });

  it('are no wider than they may be, whatever the text is', async () => {
    const written = 'The quick brown fox — Ζωή Зоя 王小明漢字 สวัสดีชาวโลก مرحبا بالعالم זוי ' + 'x'.repeat(50);
    const text = await book.prepare(written, 'regular');
    for (const width of [3, 5, 8, 20]) {
      for (const line of textLines(text, width, 'regular', book)) expect(line.width).toBeLessThanOrEqual(width);
    }
  });

  it.each(['김민수', 'ά', 'й', 'ế', 'ậ', 'Å'])(
    'are of fonts that have each character, also where letters and accents stand apart: %s',
    async (text) => {
      const fresh = await FontBook.open(); // Else another text might have brought the fonts.
      const [line] = textLines(await fresh.prepare(text.normalize('NFD'), 'regular'), Infinity, 'regular', fresh);
      expect(line?.runs.map((run) => run.text).join('')).toBe(text.normalize('NFC'));
      for (const run of line?.runs ?? []) {
        for (const character of run.text) expect(run.face.has(character.codePointAt(0) ?? 0)).toBe(true);
      }
    },
  );

  it('leave out what is not seen, and put a blank for control characters', async () => {
    expect(await lines('a\u200bb\u00ad\ufe0f c\td\u0007e', 100)).toEqual(['ab c d e']);
  });

  it('are one with an ellipsis where a text is cut', () => {
    const line = oneLine('one two three four', 7, 'regular', book);
    expect(line.runs.map(({ text }) => text).join('')).toBe('one two…');
    expect(line.width).toBeLessThanOrEqual(7);
    expect(oneLine('one two', 100, 'regular', book).runs.map(({ text }) => text)).toEqual(['one two']);
  });
});

describe('text of both directions', () => {
  it.each<[what: string, text: string, runs: string[]]>([
    ['Latin alone', 'abc (1)', ['ltr abc (1)']],
    ['Hebrew alone', 'זוי כהן', ['rtl זוי כהן']],
    ['a number after Hebrew', 'זוי 12', ['ltr 12', 'rtl זוי ']],
    ['brackets around Latin after Hebrew', 'זוי (abc)', ['rtl (', 'ltr abc', 'rtl )', 'rtl זוי ']],
    ['Hebrew within Latin', 'abc זוי def', ['ltr abc ', 'rtl זוי', 'ltr  def']],
    [
      'a number within Hebrew within Latin',
      'abc זוי 12 כהן def',
      ['ltr abc ', 'rtl כהן', 'rtl  ', 'ltr 12', 'rtl זוי ', 'ltr  def'],
    ],
  ])('stands in the order in which it is read: %s', async (_what, text, runs) => {
    expect(await order(text)).toEqual(runs);
  });
});
