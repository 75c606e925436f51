import type { IncomingHttpHeaders } from 'node:http';
import { isJsonType } from '@antrean/catalog';
import { toStoredJson } from '@antrean/jobs';

export interface KeptBody {
  /** JSON as a value, other texts as they are; null when there is none, or none that is text. */
  readonly body: unknown;
  /** Whether there was more of it, or something else than text. */
  readonly truncated: boolean;
}

/** Text has none of them, and JSON needs six bytes for each. */
// eslint-disable-next-line no-control-regex -- control characters are what it looks for
const CONTROL = /[\u0000-\u0008\u000b\u000e-\u001f]/;

/**
 * What is kept of a body: text in UTF-8, as a value where it is JSON of which nothing is lost by that. As JSON it has at most twice
 * as many bytes as it came with.
 * @param isCut whether there was more of it.
 */
export function keptBody(bytes: Buffer, isCut: boolean, headers: IncomingHttpHeaders): KeptBody {
  if (bytes.length === 0) return { body: null, truncated: isCut };
  const { 'content-type': type = '', 'content-encoding': encoding = 'identity' } = headers;
  const text = encoding.toLowerCase() === 'identity' ? decoded(bytes, isCut) : undefined;
  if (text === undefined || CONTROL.test(text)) return { body: null, truncated: true };
  const json = isJsonType(type) && !isCut ? parsed(text) : undefined;
  return { body: json === undefined ? text : json.value, truncated: isCut };
}

/** Undefined when the bytes are no UTF-8. Of a body that was cut the last character may be there in part. */
function decoded(bytes: Buffer, isCut: boolean): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: isCut });
  } catch {
    return undefined;
  }
}

/** Undefined when the text is no JSON, or could not be kept as the value that it is. */
function parsed(text: string): { readonly value: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const json = toStoredJson(value);
    const tokens = stringsAndNumbers(text);
    // Of a key that an object has twice, the value has the last alone.
    const isWhole = tokens.length === stringsAndNumbers(json).length;
    if (!isWhole || !tokens.every((token) => token.startsWith('"') || isKept(token))) return undefined;
    return Buffer.byteLength(json) <= 2 * Buffer.byteLength(text) ? { value } : undefined;
  } catch {
    return undefined;
  }
}

function stringsAndNumbers(json: string): readonly string[] {
  return json.match(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g) ?? [];
}

/** Whether a number survives: ids may have more digits than a number of JavaScript can hold. */
function isKept(number: string): boolean {
  if (Object.is(Number(number), -0)) return false; // JSON.stringify writes it as 0.
  return /^-?[\d.]{1,15}$/.test(number) || String(Number(number)) === number;
}
