import { createScanner } from 'jsonc-parser';

/** A word of the JSON grammar, or `bad` for something that is none. */
export interface Token {
  readonly kind: '{' | '}' | '[' | ']' | ',' | ':' | 'string' | 'number' | 'literal' | 'bad';
  /** A string without quotes and escapes, a number as it was written; of a bad one, what is wrong with it. */
  readonly value: string;
  /** Where it starts, in UTF-16 units. */
  readonly offset: number;
}

/** The scanner's numbers. Its own enum is a constant one, which cannot be read from another module. */
const KINDS: Readonly<Record<number, Token['kind']>> = {
  1: '{',
  2: '}',
  3: '[',
  4: ']',
  5: ',',
  6: ':',
  7: 'literal',
  8: 'literal',
  9: 'literal',
  10: 'string',
  11: 'number',
};
const LINE_BREAK = 14;
const BLANK = 15;
const END = 17;

const FAULTS: Readonly<Record<number, string>> = {
  1: 'JSON has no comments',
  2: 'a string is not closed',
  3: 'a number is not complete',
  4: 'after \\u four hex digits must follow',
  5: 'a backslash stands before a character that has no such escape',
  6: 'a control character stands in a string, write it as an escape',
};

/** Cuts a text into words without recursion; ends after the first bad one. The scanner's own words know comments, JSON does not. */
export function* jsonTokens(text: string): Generator<Token, undefined> {
  const scanner = createScanner(text);
  for (;;) {
    const scanned: number = scanner.scan();
    if (scanned === END) return;
    if (scanned === LINE_BREAK || scanned === BLANK) continue;
    const kind = KINDS[scanned];
    const fault = FAULTS[scanner.getTokenError()];
    const offset = scanner.getTokenOffset();
    if (kind === undefined || fault !== undefined) {
      yield { kind: 'bad', value: fault ?? 'a character or word stands there that JSON does not know', offset };
      return;
    }
    yield { kind, value: scanner.getTokenValue(), offset };
  }
}
