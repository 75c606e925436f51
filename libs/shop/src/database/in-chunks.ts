/**
 * Rows that one statement writes. Databases bound its parameters (SQLite: 32,766), but what counts is what is held of it: a query of
 * some thousand values takes more than a megabyte until it is carried out, and what is held that long is collected late.
 */
const CHUNK_ROWS = 100;

/** The rows in groups that one statement can take, in their order. */
export function* inChunks<Row>(rows: readonly Row[]): Generator<readonly Row[], void, void> {
  for (let at = 0; at < rows.length; at += CHUNK_ROWS) yield rows.slice(at, at + CHUNK_ROWS);
}
