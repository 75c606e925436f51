import { median, percentile, spread } from './statistics.js';

describe('the statistics of the benchmark', () => {
  it('take the middle of an odd count as the median, whatever the order', () => {
    expect(median([9, 1, 5])).toBe(5);
    expect(median([7])).toBe(7);
  });

  it('take the mean of the two in the middle of an even count', () => {
    expect(median([10, 1, 4, 3])).toBe(3.5);
  });

  it('compare numbers as numbers', () => {
    expect(median([10, 9, 100])).toBe(10);
    expect(spread([10, 9, 100])).toEqual({ lowest: 9, highest: 100 });
  });

  it('take the nearest rank as a percentile', () => {
    const hundred = Array.from({ length: 100 }, (_, index) => 100 - index);
    expect([1, 50, 99, 100].map((percent) => percentile(hundred, percent))).toEqual([1, 50, 99, 100]);
    expect(percentile([3, 1, 2], 99)).toBe(3);
    expect(percentile([3, 1, 2], 50)).toBe(2);
  });

  it('refuse to say anything about nothing', () => {
    expect(() => median([])).toThrow(RangeError);
    expect(() => percentile([], 50)).toThrow(RangeError);
    expect(() => spread([])).toThrow(RangeError);
  });

  it('leave the numbers as they were', () => {
    const numbers = [3, 1, 2];
    median(numbers);
    spread(numbers);
    expect(numbers).toEqual([3, 1, 2]);
  });
});
