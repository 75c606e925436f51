import { COMMA, SEMICOLON, TAB } from './record-scanner.js';
import type { Column } from './header.js';

/** What is wrong with a row, and what to do about it. */
export interface RowFault {
  /** null when it is not one column's matter. */
  readonly column: Column | null;
  readonly reason: string;
}

export function raggedRow(fields: number, columns: readonly (Column | null)[], delimiter: number): RowFault {
  const howMany = `The row has ${counted(fields, 'field')}, the header ${columns.length}.`;
  return fields < columns.length
    ? { column: columns[fields] ?? null, reason: `${howMany} Add what is missing, if need be as empty fields.` }
    : { column: null, reason: `${howMany} Put a field that has a ${delimiterName(delimiter)} in it into double quotes.` };
}

export function strayText(column: Column | null): RowFault {
  return {
    column,
    reason:
      'There is text between the closing quote of a field and the next field. Write a double quote within a field twice ("").',
  };
}

export function unclosedQuote(maxBytes: number): RowFault {
  return {
    column: null,
    reason: `A double quote opens a field and none closes it within ${maxBytes / 1024 ** 2} MiB. Close it, or write it twice ("") in a field in quotes.`,
  };
}

export function tooLongRow(maxBytes: number): RowFault {
  return { column: null, reason: `The row is longer than ${maxBytes / 1024 ** 2} MiB. Shorten it.` };
}

export function bytesOfNoText(column: Column, charset: string): RowFault {
  return {
    column,
    reason: `${column} has bytes that are no text in ${charset}, which the file is read as. Save the whole file in one charset, best UTF-8.`,
  };
}

export function mixedCharsets(): RowFault {
  return {
    column: null,
    reason:
      'The row is in UTF-8, but the rows before it are in Windows-1252. Save the whole file in one charset, best UTF-8, or name it at the upload.',
  };
}

function counted(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? '' : 's'}`;
}

function delimiterName(delimiter: number): string {
  if (delimiter === TAB) return 'tab';
  if (delimiter === SEMICOLON) return 'semicolon';
  return delimiter === COMMA ? 'comma' : `"${String.fromCharCode(delimiter)}"`;
}
