/** What a file is that is no CSV, to be read after "The file is"; undefined when its first bytes may be text. */
export function foreignKind(head: Buffer): string | undefined {
  const bytes = head.toString('latin1');
  if (ZIP.some((start) => bytes.startsWith(start))) return zipKind(bytes);
  const signature = SIGNATURES.find(([start, at = 0]) => bytes.startsWith(start, at));
  if (signature !== undefined) return signature[2];
  const text = bytes.replaceAll('\0', '').trimStart();
  return MARKUP.find(([start]) => start.test(text))?.[1];
}

/** NULs, or more control characters than a text has by accident. Not to be asked about UTF-16. */
export function looksBinary(head: Buffer): boolean {
  let controls = 0;
  for (const byte of head) {
    if (byte === 0) return true;
    if (byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d) controls++;
  }
  return controls > head.length / 20;
}

function zipKind(bytes: string): string {
  if (/\[Content_Types\]\.xml|xl\/|_rels\//.test(bytes)) return 'an Excel workbook (.xlsx) or another Office document';
  if (bytes.includes('application/vnd.oasis.opendocument')) return 'an OpenDocument file (.ods)';
  return 'a ZIP archive';
}

const ZIP = ['PK\x03\x04', 'PK\x05\x06', 'PK\x07\x08'] as const;

/** [how it starts, at which byte, what it is] */
const SIGNATURES: readonly (readonly [start: string, at: number | undefined, kind: string])[] = [
  ['\xd0\xcf\x11\xe0', 0, 'an old Excel workbook (.xls) or another old Office document'],
  ['%PDF-', 0, 'a PDF document'],
  ['\x1f\x8b', 0, 'compressed with gzip'],
  ['1AY&SY', 4, 'compressed with bzip2'],
  ['\xfd7zXZ', 0, 'compressed with xz'],
  ['\x28\xb5\x2f\xfd', 0, 'compressed with zstd'],
  ['7z\xbc\xaf', 0, 'a 7-Zip archive'],
  ['Rar!', 0, 'a RAR archive'],
  ['ustar', 257, 'a tar archive'],
  ['\x89PNG', 0, 'a PNG image'],
  ['\xff\xd8\xff', 0, 'a JPEG image'],
  ['GIF8', 0, 'a GIF image'],
  ['II*\0', 0, 'a TIFF image'],
  ['WEBP', 8, 'a WebP image'],
  ['SQLite format 3', 0, 'a SQLite database'],
  ['PAR1', 0, 'a Parquet file'],
  ['\x7fELF', 0, 'a program'],
  ['MZ\x90', 0, 'a program'],
  ['\xff\xfe\0\0', 0, 'text in UTF-32'],
  ['\0\0\xfe\xff', 0, 'text in UTF-32'],
  ['{\\rtf', 0, 'a rich text document (.rtf)'],
];

const MARKUP: readonly (readonly [start: RegExp, kind: string])[] = [
  [/^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)?\s*<(?:!doctype\s+html|html|head|body|table)\b/i, 'a web page (HTML)'],
  [/^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)?\s*<(?:\?xml|[a-z])/i, 'an XML document'],
  [/^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)?\s*(?:\{\s*"|\[\s*[{["\d])/, 'a JSON document'],
];
