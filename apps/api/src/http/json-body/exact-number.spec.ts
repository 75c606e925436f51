import fc from 'fast-check';
import { isExactNumber } from './exact-number.js';

describe('isExactNumber', () => {
  it.each([
    '0',
    '-0',
    '0.0e9',
    '7',
    '-12.50',
    '0.1',
    '1e3',
    '1E+3',
    '12e-2',
    '0.30000000000000004',
    '0.10000000000000001',
    '9007199254740991',
    '9007199254740992',
    '9007199254740994',
    '10000000000000000',
    '100000000000000000000.00',
    '1e21',
    '1E100',
    '1.7976931348623157e308',
    '5e-324',
    `0.${'0'.repeat(300)}1`,
    `0.5${'0'.repeat(100_000)}`,
  ])('takes %s', (text) => {
    expect(isExactNumber(text)).toBe(true);
  });

  it.each([
    '9007199254740993',
    '-9007199254740993',
    '9007199254740993.0',
    '1152921504606846976',
    '1152921504606846977',
    '1152921504606847000',
    '38010476603608712',
    '38010476603608712.0',
    `1${'0'.repeat(300)}`,
    '18446744073709551615',
    '0.1234567890123456789',
    '3.14159265358979323846',
    '1e400',
    '-1e400',
    '1e309',
    '1e-400',
    '2e-324',
    `1${'0'.repeat(400)}`,
    `0.${'0'.repeat(400)}1`,
    `1e${'9'.repeat(30)}`,
    `1e-${'9'.repeat(30)}`,
    '1'.repeat(100_000),
  ])('refuses %s', (text) => {
    expect(isExactNumber(text)).toBe(false);
  });

  it('takes every fraction that a double holds, as JavaScript writes it and with all its 17 digits', () => {
    const fractions = fc.double({ noNaN: true, noDefaultInfinity: true }).filter((value) => !Number.isInteger(value));
    fc.assert(
      fc.property(fractions, (value) => {
        expect(isExactNumber(JSON.stringify(value))).toBe(true);
        expect(isExactNumber(value.toExponential(16))).toBe(true);
      }),
    );
  });

  it('takes a whole number exactly when it comes back with the same digits and is held without rounding', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), (value) => {
        const held = Number(value);
        const survives = BigInt(held) === value && BigInt(JSON.stringify(held)) === value;
        expect(isExactNumber(String(value))).toBe(survives);
      }),
      { numRuns: 2_000 },
    );
  });

  it('takes time in proportion to the length', () => {
    const hostile = `1${'0'.repeat(1_000_000)}1`;
    const startedAt = performance.now();
    isExactNumber(hostile);
    expect(performance.now() - startedAt).toBeLessThan(500);
  });
});
