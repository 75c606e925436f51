/** Rows that one statement writes: databases bound its parameters (SQLite: 32,766). */
const CHUNK_ROWS = 500;

/** The rows in groups that one statement can take, in their order. */
export function* inChunks<Row>(rows: readonly Row[]): Generator<readonly Row[], void, void> {
  for (let at = 0; at < rows.length; at += CHUNK_ROWS) yield rows.slice(at, at + CHUNK_ROWS);
}
