import type { Charset } from './charset.js';
import { fieldText } from './field-text.js';
import { COMMA, RecordScanner, SEMICOLON, TAB, type Scan } from './record-scanner.js';
import { unfitFile } from './unfit-file.js';

/** What is read of a customer. `email` must be there, the others need not. */
export const COLUMNS = ['email', 'name', 'phone', 'country'] as const;
export type Column = (typeof COLUMNS)[number];

export interface Header {
  /** The code of the character between two fields. */
  readonly delimiter: number;
  /** For each field of a row, in its order, what it is; null for one that is not read. */
  readonly columns: readonly (Column | null)[];
}

type RecordScan = Extract<Scan, { kind: 'record' }>;

/**
 * Reads the first row, which names the columns: in any order and case, with blanks, underscores and hyphens where they may
 * be (`E-Mail`, ` phone `). The delimiter is the one that makes a column `email` of it, and the most columns.
 * @param bytes they begin with that row.
 * @param separator the delimiter, where the file names it.
 * @returns the header, and where the row after it begins.
 * @throws {PermanentError} `import_header_missing`, `import_column_twice`
 */
export function readHeader(
  bytes: Buffer,
  isLast: boolean,
  charset: Charset,
  separator?: number,
): { readonly header: Header; readonly scan: RecordScan } {
  const readings = (separator === undefined ? [COMMA, SEMICOLON, TAB] : [separator])
    .map((delimiter) => readWith(delimiter, bytes, isLast, charset))
    .filter((reading) => reading !== undefined)
    .sort((a, b) => Number(b.hasEmail) - Number(a.hasEmail) || b.names.length - a.names.length);
  const best = readings[0];
  if (best === undefined) {
    throw unfitFile(
      'import_header_missing',
      'The first row does not end, or a quote in it is not closed. It must name the columns, such as email,name,phone,country.',
    );
  }
  if (!best.hasEmail) throw unfitFile('import_header_missing', withoutEmail(best.names));
  const twice = best.names.find((name, index) => name !== '' && best.names.indexOf(name) < index);
  if (twice !== undefined) {
    throw unfitFile(
      'import_column_twice',
      `The header has the column "${shown(twice)}" twice. Give each column a name of its own.`,
    );
  }
  return {
    header: { delimiter: best.delimiter, columns: best.names.map((name) => COLUMNS.find((column) => column === name) ?? null) },
    scan: best.scan,
  };
}

interface Reading {
  readonly delimiter: number;
  readonly scan: RecordScan;
  readonly names: readonly string[];
  readonly hasEmail: boolean;
}

function readWith(delimiter: number, bytes: Buffer, isLast: boolean, charset: Charset): Reading | undefined {
  const scan = new RecordScanner(charset, delimiter).scan(bytes, isLast);
  if (scan.kind === 'partial') return undefined;
  const names = scan.fields.map((field) => normalized(fieldText(bytes, field, charset) ?? ''));
  return { delimiter, scan, names, hasEmail: names.includes('email') };
}

function normalized(name: string): string {
  return name
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[\s_\-\p{Cf}]+/gu, '');
}

function withoutEmail(names: readonly string[]): string {
  const must = 'The first row must name the columns, such as email,name,phone,country';
  if (names.some((name) => name.includes('@'))) {
    return `${must}; it has an e-mail address where a name should be. Put a row with the names before it.`;
  }
  const found = names.filter((name) => name !== '').slice(0, 10);
  return `${must}; it has no column "email", but ${found.map((name) => `"${shown(name)}"`).join(', ')}.`;
}

function shown(name: string): string {
  const characters = Array.from(name.replaceAll(/\p{Cc}/gu, ''));
  return characters.length > 40 ? `${characters.slice(0, 40).join('')}…` : characters.join('');
}
