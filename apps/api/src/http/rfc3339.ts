const SHAPE = /^(\d{4})-(\d{2})-(\d{2})T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

/** With a year of four digits, as RFC 3339 has them. */
const FOUR_DIGITS = /^\d{4}-/;

/**
 * The moment an RFC 3339 text names, to the millisecond; undefined when it is none, or no such day exists. It can be written so in
 * UTC again, which one at either end of time could not.
 */
export function parseRfc3339(text: string): Date | undefined {
  const upper = text.toUpperCase();
  const [, year, month, day] = SHAPE.exec(upper) ?? [];
  if (year === undefined || month === undefined || day === undefined) return undefined;
  // A day that a month lacks would silently become one of the next month.
  const midnight = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  if (midnight.getUTCMonth() !== Number(month) - 1 || midnight.getUTCDate() !== Number(day)) return undefined;
  const time = new Date(upper);
  return FOUR_DIGITS.test(time.toISOString()) ? time : undefined;
}
