import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { csvDocument } from '@antrean/platform';
import fc from 'fast-check';
import { readCustomerCsv } from './customer-csv.js';
import type { CustomerRow } from './row-reader.js';
import { HEADER, faultOf, inPieces, read, rowsOf, told, utf16, type Start } from '../../../../../../test/support/customer-csv.js';

describe('a file of customers', () => {
  it.each<[what: string, file: string, rows: string[]]>([
    ['all columns', `${HEADER}a@b.example,Ana,+62 21,ID\n`, ['2 a@b.example|Ana|+62 21|ID']],
    ['the e-mail alone', 'email\na@b.example\n\nc@d.example', ['2 a@b.example|||', '4 c@d.example|||']],
    ['another order and case, and columns it does not know', 'Notes,NAME,E-Mail\nx,Ana,a@b.example', ['2 a@b.example|Ana||']],
    ['blanks and underscores in names', ' _Email_ ;  Name\na@b.example;Ana', ['2 a@b.example|Ana||']],
    ['columns without a name', 'email,,\na@b.example,x,y', ['2 a@b.example|||']],
    ['semicolons', 'email;name\na@b.example;"Ana, B"', ['2 a@b.example|Ana, B||']],
    ['tabs', 'name\temail\nAna; B,C\ta@b.example', ['2 a@b.example|Ana; B,C||']],
    ['a first line that names the separator', 'sep=;\nemail;name\na@b.example;"Ana; B"', ['3 a@b.example|Ana; B||']],
    [
      'such a line of other letters, among blank ones',
      '\r\nSEP=| \r\n\r\nemail|name\r\na@b.example|A,B',
      ['5 a@b.example|A,B||'],
    ],
    ['such a line that names a tab, which is not all there is', 'sep=\t\nemail\tname,\na@b.example\tAna', ['3 a@b.example|||']],
    [
      'rows that look like such a line',
      'email,name\na@b.example,A\nsep=;',
      ['2 a@b.example|A||', '3! name: The row has 1 field, the header 2. Add what is missing, if need be as empty fields.'],
    ],
    ['a delimiter that is also in a name of a column', '"first, name";email;name\n1;a@b.example;Ana', ['2 a@b.example|Ana||']],
    ['names of columns that other files begin with', 'PK,GIF,email\n1,2,a@b.example', ['2 a@b.example|||']],
    ['a header and nothing else', HEADER, []],
    ['a header without a line break', 'email', []],
    ['blank lines before the header', '\n \r\n\nemail\na@b.example', ['5 a@b.example|||']],
    ['CR alone', 'email,name\ra@b.example,A\rb@b.example,B', ['2 a@b.example|A||', '3 b@b.example|B||']],
    [
      'all kinds of line breaks',
      'email\r\na@b.example\nb@b.example\rc@b.example\r\n\r\nd@b.example',
      ['2 a@b.example|||', '3 b@b.example|||', '4 c@b.example|||', '6 d@b.example|||'],
    ],
    ['blank rows', `${HEADER} \n,,,\n\t\na@b.example,,,\n`, ['5 a@b.example|||']],
    ['blanks around fields', 'email , name\n  a@b.example , Ana ', ['2 a@b.example|Ana||']],
    ['quotes', '"email","name"\n"a@b.example","Ana ""Bo"" C"', ['2 a@b.example|Ana "Bo" C||']],
    ['blanks around quotes', 'email, name\n "a@b.example" , "A, B" ', ['2 a@b.example|A, B||']],
    ['a quote within a field without quotes', 'email,name\na@b.example,5" disk "x"', ['2 a@b.example|5" disk "x"||']],
    ['empty fields in quotes', 'email,name\n"a@b.example",""', ['2 a@b.example|||']],
    ['line breaks in quotes', 'email,notes\na@b.example,"1\r\n2\n3\r4"\nb@b.example,x', ['2 a@b.example|||', '6 b@b.example|||']],
    ['the same e-mail twice', 'email,name\na@b.example,1\na@b.example,2', ['2 a@b.example|1||', '3 a@b.example|2||']],
    ['countries in small letters', 'email,country\na@b.example,id', ['2 a@b.example|||ID']],
    ['an international domain', 'email\nbudi@bücher.example', ['2 budi@bücher.example|||']],
    ['what an export guards', "email,name,phone\na@b.example,'=A,'+62 21", ['2 a@b.example|=A|+62 21|']],
    ['e-mail addresses that an export guards', "email\n'+a@b.example\n'=c@d.example", ['2 +a@b.example|||', '3 =c@d.example|||']],
    ['names of all kinds of scripts', 'email,name\na@b.example,Зоя Ζωή 王 זוי زوي 🎉', ['2 a@b.example|Зоя Ζωή 王 זוי زوي 🎉||']],
  ])('may have %s', async (_what, file, rows) => {
    expect(await read(file)).toEqual(rows);
  });

  it('may begin with a line that names the separator in any charset, however its bytes arrive', async () => {
    const text = 'sep=|\r\nemail|name\r\na@b.example|Zoë\r\nc@d.example|a|b';
    const reason = 'Put a field that has a "|" in it into double quotes.';
    const rows = ['3 a@b.example|Zoë||', `4! -: The row has 3 fields, the header 2. ${reason}`];
    for (const bytes of [Buffer.from(text), Buffer.from(`\ufeff${text}`), utf16(text, 'le', true), utf16(text, 'be', false)]) {
      for (const size of [1, 7, 1_000]) expect((await rowsOf(bytes, {}, size)).map(told)).toEqual(rows);
    }
    for (const charset of ['shift_jis', 'gbk', 'gb18030', 'big5']) {
      expect(await faultOf(text, { charset })).toMatchObject({ code: 'import_separator_unfit' });
      expect(await read('sep=:\nemail:name\na@b.example:x', { charset })).toEqual(['3 a@b.example|x||']);
    }
    const [first] = await rowsOf(text);
    const rest = Buffer.from(text).subarray(first?.next.offset);
    expect((await rowsOf(rest, first?.next)).map(told)).toEqual(rows.slice(1));
  });

  it.each<[what: string, file: string, rows: (string | RegExp)[]]>([
    [
      'fields that are missing',
      `${HEADER}a@b.example,Ana\nb@b.example,,,`,
      [/^2! phone: The row has 2 fields, the header 4\. Add/, '3 b@b.example|||'],
    ],
    ['fields that are too many', 'email;name\na@b.example;A;B', [/^2! -: The row has 3 fields, the header 2\. .*semicolon/]],
    ['no e-mail', 'email,name\n,Ana', ['2! email: email is empty. Every row needs an e-mail address.']],
    [
      'no e-mail address',
      'email\nana\na@@b.example\nAna <a@b.example>',
      [/^2! email: email must be one/, /^3! email/, /^4! email/],
    ],
    [
      'an e-mail address that is too long',
      `email\n${'a'.repeat(60)}@${'b'.repeat(60)}.${'c'.repeat(200)}`,
      [/^2! email: .*at most 254/],
    ],
    [
      'a name that is too long',
      `email,name\na@b.example,${'n'.repeat(201)}`,
      [/^2! name: .*201 characters, at most 200.*Shorten/],
    ],
    ['a phone that is too long', `email,phone\na@b.example,${'1'.repeat(41)}`, [/^2! phone: .*41 characters/]],
    [
      'a control character',
      'email,name\na@b.example,A\u0007B\nb@b.example,"A\nB"\nc@b.example,\u202elive',
      [/^2! name: .*Remove it/, /^3! name: .*line break/, /^\d! name: .*not seen \(U\+202E\)/],
    ],
    [
      'a country that is none',
      'email,country\na@b.example,XX\nb@b.example,Indonesia',
      [/^2! country: .*ISO 3166/, /^3! country/],
    ],
    [
      'text after a quote',
      'email,name\na@b.example,"A" B\nb@b.example,"B"',
      [/^2! name: .*closing quote.*twice/, '3 b@b.example|B||'],
    ],
    [
      'quotes escaped by a backslash',
      'email,name\na@b.example,"A \\"B\\" C"\nb@b.example,B',
      [/^2! name: /, '3 b@b.example|B||'],
    ],
    [
      'a quote that is not closed',
      'email,name\na@b.example,"A\nb@b.example,B\n"c@b.example,C',
      [/^2! name: .*closing quote/, /^5! -: /].slice(0, 1),
    ],
    [
      'a quote that is not closed before the end',
      'email,name\na@b.example,"A\nb@b.example,B',
      [/^2! -: .*none closes it/, '3 b@b.example|B||'],
    ],
    [
      'a quote that is not closed in the last line',
      'email,name\nb@b.example,B\na@b.example,"A',
      ['2 b@b.example|B||', /^3! -: .*none closes it/],
    ],
  ])('has rows rejected for %s', async (_what, file, expected) => {
    const rows = await read(file);
    expect(rows).toEqual(expected.map((line) => (typeof line === 'string' ? line : (expect.stringMatching(line) as string))));
  });

  it('tells a rejected row as it stands in the file', async () => {
    const rows = await rowsOf('email,name\r\n"a@b.example" , "x""\r\ny",1\r\nb@b.example,B\r\n');
    expect(rows.map((row) => row.text)).toEqual(['"a@b.example" , "x""\r\ny",1', 'b@b.example,B']);
  });

  it('has the customers of an export, whatever their fields begin with', async () => {
    const sign = fc.constantFrom('', '+', '-', '=', "'", "'+", "''=", 'a');
    const customer = fc.record({
      email: sign.map((begin) => `${begin}a@b.example`),
      name: sign.map((begin) => `${begin}Ana`),
      phone: sign.map((begin) => `${begin}62 21`),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(customer, { minLength: 1, maxLength: 10 }), async (customers) => {
        const rows = customers.map(({ email, name, phone }) => [email, name, phone]);
        const chunks: Buffer[] = [];
        for await (const chunk of csvDocument({ heads: ['email', 'name', 'phone'], rows, hasByteOrderMark: true }))
          chunks.push(chunk);
        expect((await read(Buffer.concat(chunks))).map((row) => row.replace(/^\d+ /, ''))).toEqual(
          rows.map((row) => `${row.join('|')}|`),
        );
      }),
    );
  });

  it('loses one line of a quote that no other closes within a MiB, and no more', async () => {
    const lines = Array.from({ length: 12_000 }, (_, at) => `c${at}@b.example,${'name '.repeat(25)}${at}`);
    lines[10] = 'c10@b.example,"name 10';
    const rows = await rowsOf(`email,name\n${lines.join('\n')}`, {}, 64 * 1024);
    expect(rows).toHaveLength(12_000);
    expect(rows.flatMap((row) => (row.kind === 'rejected' ? [[row.line, row.text]] : []))).toEqual([[12, lines[10]]]);
  });

  it('is given up when a hundred quotes are not closed, counted across what was read before', async () => {
    const file = Buffer.from(`email,name\n${'a@b.example,x",b,"c\n'.repeat(150)}`);
    const rows: CustomerRow[] = [];
    const readAll = async (start: Start): Promise<void> => {
      const from = 'offset' in start ? start.offset : 0;
      for await (const row of readCustomerCsv(inPieces(file.subarray(from), 64 * 1024), start)) rows.push(row);
    };
    const fault = { code: 'import_quotes_unclosed', message: expect.stringContaining('the last of them in line 101.') as string };
    await expect(readAll({})).rejects.toMatchObject(fault);
    expect(rows).toHaveLength(99);
    await expect(readAll(rows[49]?.next ?? {})).rejects.toMatchObject(fault);
    expect(rows).toHaveLength(99 + 49);
  });

  it('lets others have a turn, however much of it is there already', async () => {
    let turns = 0;
    const ticking = setInterval(() => (turns += 1), 1);
    await rowsOf(`email,name\n${'a@b.example,"x\n'.repeat(9)}${'y'.repeat(1024 ** 2)}\n${'\n'.repeat(100_000)}`);
    clearInterval(ticking);
    expect(turns).toBeGreaterThan(5);
  });

  it('reads a row of a MiB, tells the beginning of a longer one, and goes on after it', async () => {
    const fits = `a@b.example,"${'x'.repeat(1024 ** 2 - 15)}"\n`;
    const tooLong = `b@b.example,${'y'.repeat(5 * 1024 ** 2)}\r\n`;
    for (const size of [999, 1024 ** 2, 10_000_000]) {
      const rows = await rowsOf(`email,notes\n${fits}${tooLong}c@b.example,z`, {}, size);
      expect(rows.map((row) => told(row).slice(0, 60))).toEqual([
        '2 a@b.example|||',
        '3! -: The row is longer than 1 MiB. Shorten it.',
        '4 c@b.example|||',
      ]);
      expect(rows[1]?.text).toBe(`${tooLong.slice(0, 4096)}…`);
    }
  });
});

describe('a file that is no CSV with a header', () => {
  it.each<[what: string, file: Buffer | string, message: RegExp]>([
    [
      'a workbook',
      'PK\x03\x04\x14\x00\x06\x00\x08\x00[Content_Types].xml',
      /is an Excel workbook \(\.xlsx\).*Save the table as CSV/,
    ],
    ['a spreadsheet', 'PK\x03\x04mimetypeapplication/vnd.oasis.opendocument.spreadsheet', /OpenDocument file/],
    ['an archive', 'PK\x03\x04\x14\x00\x00\x00customers.csv', /is a ZIP archive/],
    ['an old workbook', Buffer.from('d0cf11e0a1b11ae1', 'hex'), /old Excel workbook/],
    ['a PDF', '%PDF-1.7\n%\xe2\xe3', /PDF document/],
    ['gzip', gzipSync('email\na@b.example\n'), /compressed with gzip/],
    ['an image', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), /PNG image/],
    ['UTF-32', Buffer.from('fffe000065000000', 'hex'), /UTF-32/],
    ['a web page', '\ufeff\n <!DOCTYPE html>\n<html><body>email,name</body></html>', /web page/],
    ['a web page in UTF-16', utf16('<html>', 'le', true), /web page/],
    ['XML', '<?xml version="1.0"?><a/>', /XML document/],
    ['JSON', '[{"email": "a@b.example"}]', /JSON document/],
    ['noise', Buffer.concat([Buffer.from('email,'), randomBytes(4_000)]), /binary data/],
    ['NULs', 'email,name\0\0\0\0\0\0\0\0\0', /binary data/],
  ])('says so: %s', async (_what, file, message) => {
    const fault = await faultOf(file);
    expect(fault.code).toBe('import_file_not_csv');
    expect(fault.message).toMatch(message);
  });

  it.each<[what: string, file: string]>([
    ['no bytes', ''],
    ['a mark', '\ufeff'],
    ['line breaks', '\n\n'],
    ['blanks', ' \r\n\t\r\n'],
    ['many line breaks', `\ufeff${'\n'.repeat(100_000)}`],
  ])('is empty: %s', async (_what, file) => {
    expect(await faultOf(file)).toMatchObject({ code: 'import_file_empty' });
  });

  it.each<[what: string, file: string, message: RegExp]>([
    ['without the column', 'name,phone\nAna,1', /it has no column "email", but "name", "phone"/],
    ['without a header', 'a@b.example,Ana\nb@b.example,Bo', /e-mail address where a name should be/],
    ['with a delimiter that is not known', 'email|name\na@b.example|Ana', /but "email\|name"/],
    ['with a quote that is not closed', '"email,name\na@b.example,Ana', /not closed/],
    ['that does not end', `email,${'x'.repeat(70_000)}`, /does not end/],
    ['with names of any length', `${'x'.repeat(500)},\u0007y`, /"x{40}…", "y"/],
  ])('has no header: one %s', async (_what, file, message) => {
    const fault = await faultOf(file);
    expect(fault.code).toBe('import_header_missing');
    expect(fault.message).toMatch(message);
  });

  it.each(['email,name,E-Mail', 'email,notes,Notes'])('has a column twice: %s', async (file) => {
    expect(await faultOf(file)).toMatchObject({ code: 'import_column_twice' });
  });
});

describe('the bytes of a file', () => {
  it('are let go of when the reading stops', async () => {
    let isClosed = false;
    async function* endless(): AsyncGenerator<Buffer> {
      await Promise.resolve();
      try {
        yield Buffer.from(HEADER);
        for (;;) yield Buffer.from('a@b.example,,,\n');
      } finally {
        isClosed = true;
      }
    }
    for await (const row of readCustomerCsv(endless(), {})) {
      expect(row.line).toBe(2);
      break;
    }
    expect(isClosed).toBe(true);
  });
});
