import type { Header } from './header.js';

/** Where a reading may go on, with what it has to know of the rows before. JSON holds it as it is. */
export interface CsvPlace extends Header {
  /** The byte of the file at which the next row begins. */
  readonly offset: number;
  /** The line at which it begins, counted from 1. */
  readonly line: number;
  /** null while all was ASCII, which leaves it open. */
  readonly charset: string | null;
  /** It was neither given nor marked, but found from what the bytes look like. */
  readonly isGuess: boolean;
  /** How many rows had a quote that none closed; none where it is left out. */
  readonly unclosedQuotes?: number;
}

/** What is read ahead of a row, in bytes, and what a guess at the charset looks at. */
export const READ_AHEAD = 64 * 1024;
