import fc from 'fast-check';
import { NotStorableError } from './errors.js';
import { toStoredJson } from './stored-json.js';

function reasonOf(value: unknown): string {
  try {
    toStoredJson(value);
  } catch (error) {
    if (!(error instanceof NotStorableError)) throw error;
    return error.violations.map(({ pointer, detail }) => `${pointer}|${detail}`).join();
  }
  return 'taken';
}

function nested(levels: number, open: (inner: unknown) => unknown): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level += 1) value = open(value);
  return value;
}

const UNFIT = 'has a NUL character or half of a surrogate pair';

describe('toStoredJson', () => {
  it.each<[unknown, string]>([
    [{ a: [1, null, 'é😀"\\'], b: undefined, c: () => 1 }, '{"a":[1,null,"é😀\\"\\\\"]}'],
    // An array with a hole.
    // eslint-disable-next-line no-sparse-arrays
    [[undefined, , () => 1], '[null,null,null]'],
    [new Date(0), '"1970-01-01T00:00:00.000Z"'],
    [-0, '0'],
    [{}, '{}'],
    [new RangeError('x'), '{}'],
    ['', '""'],
    [null, 'null'],
  ])('writes by the rules of JSON: %o', (value, json) => {
    expect(toStoredJson(value)).toBe(json);
  });

  it.each<[string, unknown, string]>([
    ['undefined', undefined, '|cannot be written as JSON'],
    ['a function', () => 1, '|cannot be written as JSON'],
    ['what says that it has no form', { toJSON: () => undefined }, '|cannot be written as JSON'],
    ['NaN', { a: [NaN] }, '/a/0|is NaN, which JSON cannot hold'],
    ['an infinite number', { 'a/b~': -Infinity }, '/a~1b~0|is -Infinity, which JSON cannot hold'],
    ['NaN from a toJSON', { a: { toJSON: () => [1, NaN] } }, '/a/1|is NaN, which JSON cannot hold'],
    ['a Date that is none', { due: [new Date(NaN)] }, '/due/0|is an invalid Date, which JSON cannot hold'],
    ['a Map', { a: null, m: new Map([[1, 2]]) }, '/m|is a Map, of which JSON keeps nothing'],
    ['a Set', [new Set([1])], '/0|is a Set, of which JSON keeps nothing'],
    ['a promise nobody waited for', Promise.resolve(1), '|is a Promise, of which JSON keeps nothing'],
    ['the first half of a character', { a: 'x\ud83d' }, `/a|${UNFIT}`],
    ['the second half of a character', ['\ude00'], `/0|${UNFIT}`],
    ['NUL', 'a\0b', `|${UNFIT}`],
    ['NUL behind a backslash', '\\\0', `|${UNFIT}`],
    ['NUL in a name', { a: { 'b\0': 1 } }, '/a/b\0|has a name with a NUL character or half of a surrogate pair'],
    ['half a character in a name', { '\ud800': 1 }, '/\ufffd|has a name with a NUL character or half of a surrogate pair'],
  ])('refuses %s', (_what, value, reason) => {
    expect(reasonOf(value)).toBe(reason);
  });

  it('refuses half a character that a toJSON answers only once', () => {
    let answers = 0;
    const fickle = { toJSON: () => ((answers += 1) === 1 ? '\ud800' : 'fine') };
    expect(reasonOf({ fickle })).toBe(`|${UNFIT}`);
  });

  it('takes texts that only look like an escape of half a character or NUL', () => {
    for (const text of ['\\ud800', '\\u0000', '\\\\udfff', '\u0001', '\\\u001f']) {
      expect(JSON.parse(toStoredJson({ text }))).toEqual({ text });
    }
  });

  it('refuses BigInts, circles and what throws while it is written', () => {
    const circle: { self?: unknown } = {};
    circle.self = circle;
    const throws = {
      get field(): never {
        throw new Error('Hands off.');
      },
    };
    expect(reasonOf({ id: 1n })).toMatch(/^\|cannot be written as JSON: TypeError: .*BigInt/);
    expect(reasonOf(circle)).toMatch(/^\|cannot be written as JSON: TypeError: .*circular/);
    expect(reasonOf(throws)).toBe('|cannot be written as JSON: Error: Hands off.');
  });

  it('takes 64 levels and no more, whatever stands in the texts', () => {
    const inArrays = (inner: unknown) => [inner];
    const inObjects = (inner: unknown) => ({ ']}"[{': inner });
    for (const open of [inArrays, inObjects]) {
      expect(reasonOf(nested(64, open))).toBe('taken');
      expect(reasonOf(nested(65, open))).toBe('|is nested deeper than 64 levels');
    }
    expect(reasonOf(nested(100_000, inArrays))).toMatch(/^\|cannot be written as JSON: RangeError/);
    expect(reasonOf(Array.from({ length: 1_000 }, () => ({ a: [{}] })))).toBe('taken');
    expect(reasonOf('['.repeat(100))).toBe('taken');
  });

  it('writes or refuses anything, and what it writes reads the same ever after', () => {
    const anything = fc.anything({
      withDate: true,
      withMap: true,
      withSet: true,
      withBigInt: true,
      withSparseArray: true,
      withTypedArray: true,
      withNullPrototype: true,
      stringUnit: 'binary',
    });
    fc.assert(
      fc.property(anything, (value) => {
        if (reasonOf(value) !== 'taken') return;
        const json = toStoredJson(value);
        expect(json).toBe(JSON.stringify(value));
        expect(toStoredJson(JSON.parse(json))).toBe(json);
        expect(json.isWellFormed()).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});
