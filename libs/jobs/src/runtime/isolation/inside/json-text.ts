/** The value as JSON; undefined for what has no JSON form. @throws {TypeError} when it cannot be written. */
export function jsonText(value: unknown): string | undefined {
  return JSON.stringify(value);
}
