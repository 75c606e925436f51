import { StorageNameError } from './storage-errors.js';
import { asStorageName, parseStorageName } from './storage-name.js';

const HOSTILE = [
  '',
  '.',
  '..',
  '/',
  '//',
  '../secret',
  'a/../b',
  'a/..',
  'a/./b',
  './a',
  '/etc/passwd',
  '//host/share',
  'a//b',
  'a/',
  'a\u0000b',
  'a\u0000/../b',
  'a\nb',
  'a\n',
  'a\tb',
  'a b',
  'a\\b',
  '..\\secret',
  'c:\\x',
  'c:x',
  'c:/x',
  '\\\\?\\c:\\x',
  'file.txt::$data',
  '%2e%2e/a',
  'a%2fb',
  'a%00',
  '%252e%252e',
  '..%c0%af',
  '\u2025',
  'a\u2215b',
  'a\u29f8b',
  '\uff0e\uff0e/a',
  'e\u0301',
  '\u00e9',
  '\u202egpj.exe',
  '\ud800',
  '\u{1f600}',
  '~',
  '~root/a',
  '$HOME',
  '${HOME}',
  '`id`',
  'a;b',
  'a|b',
  'a*',
  'a?',
  'a<b',
  'a"b',
  "a'b",
  'a#b',
  'a&b',
  'a=b',
  'a+b',
  'a,b',
  'a@b',
  'A',
  'Report.csv',
  'report.CSV',
  '.hidden',
  '.unfinished/x',
  'a/.hidden',
  'a.',
  'a./b',
  'a..',
  'a ',
  ' a',
  '-a',
  '--help',
  'a-',
  '_a',
  'a_',
  'con',
  'con.txt',
  'a/nul',
  'aux.tar.gz',
  'prn/a',
  'com1',
  'lpt9.csv',
  'com0.x',
  'x'.repeat(129),
  'a/'.repeat(256) + 'a',
];

describe('the name of a stored file', () => {
  it.each(HOSTILE)('is not %j', (text) => {
    expect(asStorageName(text)).toBeUndefined();
    expect(() => parseStorageName(text)).toThrow(StorageNameError);
    expect(() => parseStorageName(text)).toThrow(expect.objectContaining({ code: 'invalid_storage_name' }) as Error);
  });

  it.each(['a', 'reports/email.send_01k4/report.csv', 'x'.repeat(128), 'a..b', 'console', 'com10', 'nul-1'])(
    'may be %j',
    (text) => {
      expect(parseStorageName(text)).toBe(text);
      expect(asStorageName(text)).toBe(text);
    },
  );

  it('is refused with what is wrong, cut short', () => {
    expect(() => parseStorageName('reports/Mai.csv')).toThrow(
      '"reports/Mai.csv" is no name of a file: each part between slashes has 1 to 128 lower-case letters, digits, ".", "_" and "-", ' +
        'with a letter or digit at both ends, found "Mai.csv".',
    );
    expect(() => parseStorageName('a/con.csv')).toThrow('"a/con.csv" is no name of a file: "con.csv" is a device on Windows.');
    expect(() => parseStorageName('x'.repeat(100_000))).toThrow(
      `"${'x'.repeat(80)}…" is no name of a file: longer than 512 characters.`,
    );
  });
});
