import { inPieces, read, told, utf16 } from '../../../../../../test/support/customer-csv.js';
import { readCustomerCsv } from './customer-csv.js';

describe('the charset', () => {
  const table = 'email;name\r\na@b.example;Zoë €5\r\nb@b.example;Ñandú\r\n';
  const expected = ['2 a@b.example|Zoë €5||', '3 b@b.example|Ñandú||'];
  const windows1252 = Buffer.from(table.replace('€', '\x80'), 'latin1');

  it.each<[what: string, file: Buffer]>([
    ['UTF-8', Buffer.from(table)],
    ['UTF-8 with a mark', Buffer.from(`\ufeff${table}`)],
    ['UTF-16LE with a mark', utf16(table, 'le', true)],
    ['UTF-16BE with a mark', utf16(table, 'be', true)],
    ['UTF-16LE without a mark', utf16(table, 'le', false)],
    ['UTF-16BE without a mark', utf16(table, 'be', false)],
    ['Windows-1252', windows1252],
  ])('is found: %s', async (_what, file) => {
    expect(await read(file)).toEqual(expected);
  });

  it.each<[label: string, name: string, bytes: number[]]>([
    ['latin1', 'Zoë', [0x5a, 0x6f, 0xeb]],
    ['windows-1251', 'Зоя', [0xc7, 0xee, 0xff]],
    ['ISO-8859-2', 'Łuk', [0xa3, 0x75, 0x6b]],
    ['shift_jis', 'ソ表', [0x83, 0x5c, 0x95, 0x5c]],
    ['gb18030', '王', [0xcd, 0xf5]],
    ['big5', '王', [0xa4, 0xfd]],
    ['euc-kr', '김', [0xb1, 0xe8]],
    [' UTF-8 ', 'ë', [0xc3, 0xab]],
  ])('may be named: %s', async (label, name, bytes) => {
    const file = Buffer.concat([Buffer.from('email,name\na@b.example,'), Buffer.from(bytes), Buffer.from('\n')]);
    expect(await read(file, { charset: label })).toEqual([`2 a@b.example|${name}||`]);
  });

  it('is what a mark says, whatever was named', async () => {
    expect(await read(Buffer.from(`\ufeff${table}`), { charset: 'windows-1252' })).toEqual(expected);
  });

  const ascii = Array.from({ length: 5_000 }, (_, at) => `c${at}@b.example,name ${at}\n`).join('');

  it('stays open while all is ASCII, and is then found by what comes', async () => {
    const start = Buffer.from(`email,name\n${ascii}`);
    const after = Buffer.from('z@b.example,Zoë\n'.repeat(3), 'latin1');
    const late = await read(Buffer.concat([start, after]));
    expect(late.slice(-3)).toEqual(['5002 z@b.example|Zoë||', '5003 z@b.example|Zoë||', '5004 z@b.example|Zoë||']);
    expect((await read(Buffer.concat([start, Buffer.from('z@b.example,Zoë\n')]))).at(-1)).toBe('5002 z@b.example|Zoë||');
  });

  it('rejects the rows of a UTF-8 file that are not UTF-8, and reads on', async () => {
    const notes = 'x'.repeat(1_000);
    const utf8 = Buffer.from(`a@b.example,Zoë,${notes}\n`.repeat(10_000));
    const latin1 = Buffer.from('x@b.example,Zoë,\n', 'latin1');
    let rows = 0;
    const rejected: string[] = [];
    for await (const row of readCustomerCsv(
      inPieces(Buffer.concat([Buffer.from('email,name,notes\n'), utf8, latin1, utf8]), 65_536),
      {},
    )) {
      rows++;
      if (row.kind === 'rejected') rejected.push(told(row));
    }
    expect(rows).toBe(20_001);
    expect(rejected).toEqual([expect.stringMatching(/^10002! name: name has bytes that are no text in utf-8.*best UTF-8/)]);
  });

  it('is UTF-8 also when a row at the beginning is broken', async () => {
    const rows = await read(
      Buffer.concat([
        Buffer.from('email,name\n'),
        Buffer.from('x@b.example,Zo\xeb\n', 'latin1'),
        Buffer.from('a@b.example,Zoë\n'.repeat(2)),
      ]),
    );
    expect(rows).toEqual([expect.stringMatching(/^2! name: .*utf-8/), '3 a@b.example|Zoë||', '4 a@b.example|Zoë||']);
  });

  it('rejects the rows of a Windows-1252 file that are UTF-8, unless that charset was named', async () => {
    const file = Buffer.concat([
      Buffer.from('email,name\n'),
      Buffer.from('a@b.example,Zo\xeb\n'.repeat(3), 'latin1'),
      Buffer.from('b@b.example,Zoë\n'),
    ]);
    expect(await read(file)).toEqual([
      '2 a@b.example|Zoë||',
      '3 a@b.example|Zoë||',
      '4 a@b.example|Zoë||',
      expect.stringMatching(/^5! -: The row is in UTF-8/),
    ]);
    expect((await read(file, { charset: 'windows-1252' })).at(-1)).toBe('5 b@b.example|ZoÃ«||');
  });

  it('takes no half of a character of UTF-16', async () => {
    const file = Buffer.concat([utf16('email,name\na@b.example,\ud83d\nb@b.example,B', 'le', true), Buffer.of(0x41)]);
    expect(await read(file)).toEqual([expect.stringMatching(/^2! name: .*utf-16le/), expect.stringMatching(/^3! name/)]);
  });
});
