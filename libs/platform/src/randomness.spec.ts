import { randomFraction, randomHex } from './randomness.js';

describe('randomness', () => {
  it('never gives the same bytes twice, also across refills', () => {
    const made = Array.from({ length: 5_000 }, () => randomHex(16));
    expect(new Set(made).size).toBe(made.length);
    for (const text of made) expect(text).toMatch(/^[0-9a-f]{32}$/);
  });

  it('gives fractions from the whole range', () => {
    const made = Array.from({ length: 20_000 }, randomFraction);
    expect(Math.min(...made)).toBe(0);
    expect(Math.max(...made)).toBe(255 / 256);
    expect(new Set(made).size).toBe(256);
  });
});
