import { growthsOf } from './growth.js';

const flat = { keys: 5_000, redis_bytes: 2e7, connections: 40, files: 7, 'heap api-1': 5e7 };
const samples = (valueAt: (share: number) => object) =>
  Array.from({ length: 60 }, (_, index) => ({ ...flat, ...valueAt(index / 60) }));
const growing = (growths: ReturnType<typeof growthsOf>) => Object.keys(growths).filter((name) => growths[name]?.flat === false);

describe('the growth over a soak', () => {
  it('is none of what stays the same, whatever it was while all warmed up', () => {
    expect(growing(growthsOf(samples((share) => (share < 0.25 ? { keys: 100, 'heap api-1': 9e7 } : {}))))).toEqual([]);
  });

  it.each([
    ['keys', (share: number) => 5_000 + 2_000 * share],
    ['redis_bytes', (share: number) => 2e7 + 1e7 * share],
    ['connections', (share: number) => 40 + 20 * share],
    ['files', (share: number) => Math.round(7 + 10 * share)],
    ['heap api-1', (share: number) => 5e7 + 3e7 * share],
  ])('is seen in %s', (name, valueAt) => {
    expect(growing(growthsOf(samples((share) => ({ [name]: valueAt(share) }))))).toEqual([name]);
  });

  it('is not seen in single peaks', () => {
    expect(growing(growthsOf(samples((share) => (share > 0.85 && share < 0.9 ? { redis_bytes: 5e7 } : {}))))).toEqual([]);
  });

  it('tells how much it was', () => {
    expect(growthsOf(samples(() => ({})))['keys']).toEqual({ early: 5_000, late: 5_000, flat: true });
  });
});
