import fc from 'fast-check';
import { JsonFault } from './json-fault.js';
import { parseJson } from './parse-json.js';

const DEEPEST = 65;

function parse(text: string | Uint8Array): unknown {
  return parseJson(typeof text === 'string' ? Buffer.from(text) : text, DEEPEST);
}

function faultOf(text: string | Uint8Array): JsonFault {
  try {
    parse(text);
  } catch (error) {
    if (error instanceof JsonFault) return error;
    throw error;
  }
  throw new Error('The text was taken.');
}

/** Large whole numbers are written out without being exact, until they are so large that they get an exponent. */
const numbers = fc
  .double({ noNaN: true, noDefaultInfinity: true })
  .filter((value) => !Number.isInteger(value) || Number.isSafeInteger(value) || Math.abs(value) >= 1e21);
const texts = fc.string({ unit: 'binary' }).filter((text) => !/\0|[\uD800-\uDFFF]/u.test(text));
const keys = texts.filter((key) => !(key in Object.prototype));

/** Values that JSON, doubles and UTF-8 can keep. */
const { value: jsonValues } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 6 },
    fc.oneof(fc.constantFrom(null, true, false), numbers, texts),
    fc.array(tie('value')),
    fc.dictionary(keys, tie('value')),
  ),
}));

describe('parseJson', () => {
  it.each(['null', 'true', '-1.5e3', '"text"', '[]', '{}', ' [ 1 , {"a" : [ ] } ] ', '\uFEFF{"a":1}', '"\\u00e9\\n\\/ 😀"'])(
    'reads %j as JSON.parse does',
    (text) => {
      expect(parse(text)).toEqual(JSON.parse(text.replace('\uFEFF', '')));
    },
  );

  it('gives back every value that can be kept', () => {
    fc.assert(
      fc.property(jsonValues, fc.constantFrom(undefined, 2, '\t'), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        expect(parse(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  it('takes no text whose value another writing and reading would change', () => {
    fc.assert(
      fc.property(fc.json({ stringUnit: 'binary' }), (text) => {
        let value: unknown;
        try {
          value = parse(text);
        } catch (error) {
          expect(error).toBeInstanceOf(JsonFault);
          return;
        }
        expect(JSON.parse(JSON.stringify(value))).toEqual(value);
      }),
    );
  });

  it('refuses whatever JSON.parse refuses', () => {
    const pieces = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"a"',
      '"b"',
      '1',
      '01',
      '-',
      '1.',
      'true',
      'nul',
      '//x',
      "'",
      ' ',
      '\n',
      '\\',
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), (words) => {
        const text = words.join('');
        let parsed = true;
        try {
          JSON.parse(text);
        } catch {
          parsed = false;
        }
        if (parsed) return;
        expect(() => parse(text)).toThrow(JsonFault);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ['{"a":1,}', 'At line 1, column 8: a key in double quotes must stand here.', '#/a'],
    ['{"a" 1}', 'At line 1, column 6: a colon must follow the key.', '#/a'],
    ['{"a":1 "b":2}', 'At line 1, column 8: a comma or } must follow.', '#/a'],
    ['[1,\n2,,3]', 'At line 2, column 3: a value must stand here.', '#/2'],
    ['[1 2]', 'At line 1, column 4: a comma or ] must follow.', '#/0'],
    ['{"a":1]', 'At line 1, column 7: a comma or } must follow.', '#/a'],
    ['{"a":[1,2}', 'At line 1, column 10: a comma or ] must follow.', '#/a/1'],
    ['{a:1}', 'At line 1, column 2: a character or word stands there that JSON does not know.', '#'],
    ["{'a':1}", 'At line 1, column 2: a character or word stands there that JSON does not know.', '#'],
    ['{"a":undefined}', 'At line 1, column 6: a character or word stands there that JSON does not know.', '#/a'],
    ['{"a":NaN}', 'At line 1, column 6: a character or word stands there that JSON does not know.', '#/a'],
    ['{"a":01}', 'At line 1, column 7: a comma or } must follow.', '#/a'],
    ['{"a":1.}', 'At line 1, column 6: a number is not complete.', '#/a'],
    ['{"a":"b', 'At line 1, column 6: a string is not closed.', '#/a'],
    ['{"a":"b\n"}', 'At line 1, column 6: a string is not closed.', '#/a'],
    ['{"a":"b\tc"}', 'At line 1, column 6: a control character stands in a string, write it as an escape.', '#/a'],
    ['{"a":"\\x41"}', 'At line 1, column 6: a backslash stands before a character that has no such escape.', '#/a'],
    ['{"a":"\\u12"}', 'At line 1, column 6: after \\u four hex digits must follow.', '#/a'],
    ['{"a":1} // why', 'At line 1, column 9: a character or word stands there that JSON does not know.', '#'],
    ['{"a":1 /* why', 'At line 1, column 8: JSON has no comments.', '#/a'],
    ['{"a":1}{"b":2}', 'At line 1, column 8: something follows after the end of the value.', '#'],
    ['{"a":{"b":1}', 'At line 1, column 13: the text ends too early.', '#/a'],
    ['   ', 'At line 1, column 4: the text ends too early.', '#'],
  ])('says where %j is broken', (text, message, pointer) => {
    expect(faultOf(text)).toMatchObject({ message, pointer });
  });

  it.each([
    ['{"a":1,"a":2}', 'the key stands there twice', '#/a'],
    ['{"p":{"x":[{"k":1,"\\u006b":2}]}}', 'the key stands there twice', '#/p/x/0/k'],
    ['{"n":1152921504606846976}', 'the number cannot be held', '#/n'],
    ['{"n":[1,1e400]}', 'the number cannot be held', '#/n/1'],
    ['{"t":"\\ud800"}', 'the text has half of a surrogate pair', '#/t'],
    ['{"t":"\\udc00\\ud800"}', 'the text has half of a surrogate pair', '#/t'],
    ['{"o":{"\\ud800":1}}', 'the key has half of a surrogate pair', '#/o'],
    ['{"t":"a\\u0000b"}', 'the text has a NUL character', '#/t'],
    ['{"a\\u0000":1}', 'the key has a NUL character', '#/a%00'],
    ['{"o":{"__proto__":{"admin":true}}}', 'the key "__proto__" is not taken', '#/o/__proto__'],
    ['{"o":[{"constructor":{"prototype":{}}}]}', 'the key "constructor" is not taken', '#/o/0/constructor'],
    ['{"toString":1}', 'the key "toString" is not taken', '#/toString'],
    ['{"hasOwnProperty":1}', 'the key "hasOwnProperty" is not taken', '#/hasOwnProperty'],
  ])('refuses %j, which would not stay what it is', (text, message, pointer) => {
    const fault = faultOf(text);
    expect(fault.message).toContain(message);
    expect(fault.pointer).toBe(pointer);
  });

  it('takes both halves of a surrogate pair', () => {
    expect(parse('"\\ud83d\\ude00"')).toBe('😀');
  });

  it('takes names that only look like those', () => {
    const text = '{"prototype":1,"Constructor":2,"proto":3,"length":4}';
    expect(JSON.stringify(parse(text))).toBe(text);
  });

  it.each([
    [[0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xff, 0x22, 0x7d], 'Byte 7 is not valid UTF-8.', '#/a'],
    [[0x5b, 0x31, 0x2c, 0x22, 0xc3, 0x28, 0x22, 0x5d], 'Byte 5 is not valid UTF-8.', '#/1'],
    [[0xed, 0xa0, 0x80], 'Byte 1 is not valid UTF-8.', '#'],
  ])('says where the bytes %j are no UTF-8', (bytes, message, pointer) => {
    expect(faultOf(Uint8Array.from(bytes))).toMatchObject({ message, pointer });
  });

  it('takes nesting up to the bound and none beyond', () => {
    const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
    expect(() => parse(nested(DEEPEST))).not.toThrow();
    expect(faultOf(nested(DEEPEST + 1)).message).toContain('nested deeper than 65 levels');
  });

  it.each(['[', '{"a":'])('refuses %s two hundred thousand times at once, whatever follows', (opening) => {
    const startedAt = performance.now();
    expect(faultOf(opening.repeat(200_000)).message).toContain('nested deeper than 65 levels');
    expect(performance.now() - startedAt).toBeLessThan(500);
  });

  it('escapes the keys in a pointer, and stops before one too long to repeat', () => {
    expect(faultOf('{"a/b~c d":1,"a/b~c d":2}').pointer).toBe('#/a~1b~0c%20d');
    const long = 'k'.repeat(500);
    expect(faultOf(`{"x":{"${long}":{"n":1e400}}}`).pointer).toBe('#/x');
  });
});
