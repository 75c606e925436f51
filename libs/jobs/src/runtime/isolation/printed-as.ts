/** More of a text nobody reads. */
export const LONGEST_TEXT = 65_536;

/** What `String(value)` says, cut to a length; undefined when that throws. */
export function printedAs(thrown: unknown): string | undefined {
  return attempt(() => String(thrown).slice(0, LONGEST_TEXT));
}

/** What `read` answers; undefined when it throws. */
export function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
