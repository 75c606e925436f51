import { PermanentError } from '@antrean/jobs';

/** Why a file cannot be imported at all, whatever its rows hold. */
export type UnfitFileCode =
  | 'import_file_empty'
  | 'import_file_not_csv'
  | 'import_header_missing'
  | 'import_column_twice'
  | 'import_separator_unfit'
  | 'import_quotes_unclosed';

/** The error that ends the import of such a file: it stays what it is, so trying again is no use. */
export function unfitFile(code: UnfitFileCode, message: string): PermanentError {
  return new PermanentError(message, { code });
}
