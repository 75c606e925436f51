/** What a row of a document has in a column. */
export type Cell = string | number | bigint | boolean | Date | null;

/**
 * The cell as text: numbers and booleans as JavaScript writes them, times as RFC 3339 in UTC, null as nothing.
 * @throws {RangeError} for NaN, an infinity, or a time that is none.
 */
export function cellText(cell: Cell): string {
  if (cell === null) return '';
  if (cell instanceof Date) return cell.toISOString();
  if (typeof cell === 'number' && !Number.isFinite(cell)) throw new RangeError(`A cell cannot hold ${cell}.`);
  return String(cell);
}
