/** The one form of a date that RFC 9110 lets servers send. */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;
/** A receiver may ask for a day at most. */
const LONGEST_MS = 86_400_000;

/**
 * The wait that a `Retry-After` header asks for (RFC 9110: seconds, or a date), at most a day; undefined when there is none, or
 * nothing that can be read.
 */
export function retryAfterMs(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  const isDate = HTTP_DATE.test(header);
  if (!isDate && !/^\d+$/.test(header)) return undefined;
  const ms = isDate ? Date.parse(header) - now : Number(header) * 1_000;
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), LONGEST_MS);
}
