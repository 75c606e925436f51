import { JsonFault } from './json-fault.js';
import { jsonTokens } from './json-tokens.js';
import { JsonWalk } from './json-walk.js';

const UTF8 = new TextDecoder('utf-8', { fatal: true });
/** Puts U+FFFD where the bytes are wrong, and keeps a byte order mark, so that the first difference is the first wrong byte. */
const LENIENT_UTF8 = new TextDecoder('utf-8', { ignoreBOM: true });

/**
 * The value of a JSON text in UTF-8, provided that writing it again gives the same value.
 * A byte order mark at the start is allowed (RFC 8259, section 8.1).
 * @param deepest how many objects and arrays may be nested.
 * @throws {JsonFault} for broken JSON, wrong UTF-8, too deep nesting, double keys, numbers that a double does not hold,
 * lone surrogates, NUL and keys like `__proto__` and `constructor`.
 */
export function parseJson(bytes: Uint8Array, deepest: number): unknown {
  const text = decode(bytes, deepest);
  const walk = new JsonWalk(deepest);
  for (const token of jsonTokens(text)) {
    const fault = walk.take(token);
    if (fault !== undefined) throw new JsonFault(`At ${position(text, token.offset)}: ${fault}.`, walk.pointer);
  }
  if (!walk.isComplete) throw new JsonFault(`At ${position(text, text.length)}: the text ends too early.`, walk.pointer);
  const value: unknown = JSON.parse(text);
  return value;
}

function decode(bytes: Uint8Array, deepest: number): string {
  try {
    return UTF8.decode(bytes);
  } catch {
    const seen = Buffer.from(LENIENT_UTF8.decode(bytes));
    const wrong = seen.findIndex((byte, index) => byte !== bytes[index]);
    throw new JsonFault(
      `Byte ${wrong + 1} is not valid UTF-8.`,
      placeAfter(LENIENT_UTF8.decode(bytes.subarray(0, wrong)), deepest),
    );
  }
}

function placeAfter(text: string, deepest: number): string {
  const walk = new JsonWalk(deepest);
  for (const token of jsonTokens(text)) {
    if (walk.take(token) !== undefined) break;
  }
  return walk.pointer;
}

function position(text: string, offset: number): string {
  const lines = text.slice(0, offset).split(/\r\n|\r|\n/);
  return `line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`;
}
