import { parseIdempotencyKey } from './idempotency-key.js';

describe('an Idempotency-Key', () => {
  it.each([
    ['order-42', 'order-42'],
    ['"order-42"', 'order-42'],
    ['  "a b"  ', 'a b'],
    [String.raw`"say \"hi\" \\"`, String.raw`say "hi" \ `.trim()],
    ['a"b', 'a"b'],
    ['x'.repeat(255), 'x'.repeat(255)],
  ])('%s means %s', (header, key) => {
    expect(parseIdempotencyKey([header])).toBe(key);
  });

  it.each([[''], ['""'], ['x'.repeat(256)], ['ü'], ['a\tb'], ['"open'], ['"a"b"'], [['a', 'b']]])('cannot be %j', (header) => {
    expect(() => parseIdempotencyKey([header].flat())).toThrow('Idempotency-Key must be one key');
  });
});
