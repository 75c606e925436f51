import type { Charset } from './charset.js';
import type { FieldBounds } from './record-scanner.js';

/** What a field says, without blanks around it; undefined when its bytes are not of the charset. */
export function fieldText(bytes: Buffer, { start, end, hasDoubledQuotes }: FieldBounds, charset: Charset): string | undefined {
  const text = charset.decode(bytes.subarray(start, end));
  if (text === undefined) return undefined;
  return (hasDoubledQuotes ? text.replaceAll('""', '"') : text).trim();
}
