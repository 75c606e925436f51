import type { ByteWindow } from './byte-window.js';
import type { Charset } from './charset.js';
import { COMMA, RecordScanner } from './record-scanner.js';
import { unfitFile } from './unfit-file.js';

/** A line by which Excel is told what stands between fields: any character of ASCII that is no letter, digit, blank or quote, or a tab. */
const SEPARATOR_LINE = /^sep=([!#-/:-@[-`{-~\t])\s*$/i;
/** Of more bytes a line is no such line. */
const LONGEST_BYTES = 64;

/** In these a second byte may be that of any character of ASCII from `@` on. */
const SECOND_BYTES_FROM_AT = ['shift_jis', 'gbk', 'gb18030', 'big5'];

/**
 * Takes the line off, if it is the first one.
 * @returns the code of the character that it names; undefined when the first line is another.
 * @throws {PermanentError} `import_separator_unfit`
 */
export function takeSeparatorLine(window: ByteWindow, charset: Charset): number | undefined {
  const { bytes, ended } = window;
  const lineBreak = new RecordScanner(charset, COMMA).lineBreak(bytes, ended);
  const line = charset.decodeLossy(bytes.subarray(0, Math.min(lineBreak?.start ?? bytes.length, LONGEST_BYTES)));
  const separator = SEPARATOR_LINE.exec(line)?.[1];
  if (separator === undefined) return undefined;
  if (separator >= '@' && SECOND_BYTES_FROM_AT.includes(charset.name)) {
    throw unfitFile(
      'import_separator_unfit',
      `The first line names "${separator}" as separator, which in ${charset.name} may be half a character. Save the file as UTF-8, or with commas, semicolons or tabs.`,
    );
  }
  window.drop(lineBreak?.end ?? bytes.length);
  return separator.charCodeAt(0);
}
