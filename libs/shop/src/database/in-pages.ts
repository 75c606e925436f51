/** Rows that are read, and held, at a time. */
const PAGE_ROWS = 1_000;

/**
 * Reads rows of any number in constant memory, without holding the database between two pages: what is written meanwhile behind
 * the place that was reached is seen, what is written before it is not.
 * @param readPage gives up to `limit` rows that follow `after`, in one order.
 */
export async function* inPages<Row>(
  readPage: (after: Row | undefined, limit: number) => Promise<readonly Row[]>,
): AsyncGenerator<Row, void, void> {
  let last: Row | undefined;
  for (;;) {
    const rows = await readPage(last, PAGE_ROWS);
    yield* rows;
    last = rows.at(-1);
    if (rows.length < PAGE_ROWS) return;
  }
}
