import { isAscii } from 'node:buffer';
import type { ByteWindow } from './byte-window.js';
import { byteOrderMark, charsetOf, unmarkedUtf16, utf8OrWindows1252, type Charset } from './charset.js';
import { READ_AHEAD, type CsvPlace } from './csv-place.js';
import { foreignKind, looksBinary } from './file-kind.js';
import { readHeader } from './header.js';
import { COMMA, RecordScanner } from './record-scanner.js';
import { takeSeparatorLine } from './separator-line.js';
import { unfitFile } from './unfit-file.js';

/** Of the first bytes of a file, those that tell what it is. */
const HEAD = 4 * 1024;

/**
 * Reads what a CSV file begins with: byte order mark, blank lines, the line that tells Excel of the separator, header.
 * @param label the charset, when the uploader named it. A byte order mark says more than that.
 * @returns the place of the first row.
 * @throws {PermanentError} see {@link UnfitFileCode}
 */
export async function readStart(window: ByteWindow, label: string | undefined): Promise<CsvPlace> {
  const given = label === undefined ? undefined : charsetOf(label);
  // One more than is looked at: so it is known whether anything comes after.
  await window.fill(READ_AHEAD + 1);
  const head = window.bytes.subarray(0, HEAD);
  if (head.length === 0) throw unfitFile('import_file_empty', 'The file is empty.');
  const kind = foreignKind(head);
  if (kind !== undefined) throw notCsv(kind);

  const mark = byteOrderMark(head);
  if (mark !== undefined) window.drop(mark.length);
  const certain = mark?.charset ?? given;
  const found = certain ?? unmarkedUtf16(head);
  if (found?.unit !== 2 && looksBinary(head)) throw notCsv('binary data');

  const likely = found ?? charsetOf('utf-8');
  let linesBefore = await dropBlankLines(window, likely);
  const separator = takeSeparatorLine(window, likely);
  if (separator !== undefined) linesBefore += 1 + (await dropBlankLines(window, likely));
  const view = window.bytes.subarray(0, READ_AHEAD);
  if (view.length === 0) throw unfitFile('import_file_empty', 'The file has nothing but blank lines.');
  const charset = found ?? utf8OrWindows1252(view);
  const { header, scan } = readHeader(view, isLast(window), charset, separator);
  const isOpen = found === undefined && isAscii(view.subarray(0, scan.next));
  window.drop(scan.next);
  return {
    offset: window.offset,
    line: 1 + linesBefore + scan.lines,
    charset: isOpen ? null : charset.name,
    isGuess: certain === undefined,
    ...header,
  };
}

async function dropBlankLines(window: ByteWindow, charset: Charset): Promise<number> {
  const scanner = new RecordScanner(charset, COMMA);
  for (let lines = 0; ; lines++) {
    await window.fill(READ_AHEAD + 1);
    const view = window.bytes.subarray(0, READ_AHEAD);
    const lineBreak = scanner.lineBreak(view, isLast(window));
    if (scanner.hasTextBefore(view, lineBreak?.start ?? view.length)) return lines;
    window.drop(lineBreak?.end ?? view.length);
    if (window.bytes.length === 0 && window.ended) return lines;
  }
}

function isLast(window: ByteWindow): boolean {
  return window.ended && window.bytes.length <= READ_AHEAD;
}

function notCsv(kind: string): Error {
  return unfitFile('import_file_not_csv', `The file is ${kind}, not CSV. Save the table as CSV, in UTF-8, and upload that.`);
}
