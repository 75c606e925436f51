import fc from 'fast-check';
import { MAX_RETRY_DELAY_MS, custom, exponential, fixed, quadratic, retryDelayMs, type RetryPolicy } from './retry-policy.js';

const TEN_MINUTES = 600_000;
/** The upper end of what a random number between 0 and 1 can be. */
const HIGHEST = 1 - Number.EPSILON / 2;
const attempts = fc.integer({ min: 1, max: 1_000 });
const draws = fc.double({ min: 0, max: HIGHEST, noNaN: true });

const delay = (policy: RetryPolicy, attempt: number, random = HIGHEST) =>
  retryDelayMs(policy, attempt, new Error('x'), () => random);

describe('an exponential back-off', () => {
  it('is drawn from 0 to base * factor^(attempt - 1), up to the cap', () => {
    const policy = exponential({ base: '1s', factor: 2, cap: '10s' });
    expect([1, 2, 3, 4, 5, 6].map((attempt) => delay(policy, attempt))).toEqual([1_000, 2_000, 4_000, 8_000, 10_000, 10_000]);
    expect([1, 2, 3].map((attempt) => delay(policy, attempt, 0))).toEqual([0, 0, 0]);
    expect([1, 2, 3].map((attempt) => delay(policy, attempt, 0.5))).toEqual([500, 1_000, 2_000]);
  });

  it('begins at a second, doubles, and ends at ten minutes unless it is told otherwise', () => {
    expect(exponential()).toEqual({ kind: 'exponential', baseMs: 1_000, factor: 2, capMs: TEN_MINUTES });
  });

  it('stays within its bounds for every shape, attempt and draw', () => {
    const shapes = fc.record({
      kind: fc.constant('exponential' as const),
      baseMs: fc.integer({ min: 0, max: MAX_RETRY_DELAY_MS }),
      factor: fc.double({ min: 1, max: 100, noNaN: true }),
      capMs: fc.integer({ min: 0, max: MAX_RETRY_DELAY_MS }),
    });
    fc.assert(
      fc.property(shapes, attempts, draws, (policy, attempt, random) => {
        const ms = delay(policy, attempt, random);
        expect(Number.isInteger(ms)).toBe(true);
        expect(ms).toBeGreaterThanOrEqual(0);
        expect(ms).toBeLessThanOrEqual(Math.min(policy.capMs, Math.ceil(policy.baseMs * policy.factor ** (attempt - 1)) || 0));
      }),
    );
  });

  it('with base 0 never waits, also where the factor grows out of all numbers', () => {
    const policy: RetryPolicy = { kind: 'exponential', baseMs: 0, factor: 100, capMs: TEN_MINUTES };
    expect(delay(policy, 1_000)).toBe(0);
  });

  it('spreads evenly when nobody says how to draw', () => {
    const policy = exponential({ base: '1s' });
    const waits = Array.from({ length: 2_000 }, () => retryDelayMs(policy, 1, undefined));
    const mean = waits.reduce((sum, ms) => sum + ms, 0) / waits.length;
    expect(mean).toBeGreaterThan(400);
    expect(mean).toBeLessThan(600);
    expect(Math.max(...waits)).toBeLessThanOrEqual(1_000);
  });
});

describe('a fixed back-off', () => {
  it('is the same every time', () => {
    expect([1, 2, 1_000].map((attempt) => delay(fixed('7s'), attempt))).toEqual([7_000, 7_000, 7_000]);
  });

  it('is cut to 30 days', () => {
    expect(delay(fixed('31d'), 1)).toBe(MAX_RETRY_DELAY_MS);
  });
});

describe('a quadratic back-off', () => {
  it('is base * attempt² up to the cap', () => {
    const policy = quadratic({ base: '1s', cap: '20s' });
    expect([1, 2, 3, 4, 5].map((attempt) => delay(policy, attempt))).toEqual([1_000, 4_000, 9_000, 16_000, 20_000]);
  });

  it('ends at ten minutes unless it is told otherwise', () => {
    expect(delay(quadratic({ base: '1h' }), 1)).toBe(TEN_MINUTES);
  });
});

describe('a back-off of one’s own', () => {
  it('is told the attempt and what was thrown', () => {
    const thrown = { wait: 30 };
    const policy = custom((attempt, error) => (error === thrown ? attempt * 100 : 0));
    expect(retryDelayMs(policy, 3, thrown)).toBe(300);
  });

  it('may be 0, is rounded, and is cut to 30 days', () => {
    expect(
      delay(
        custom(() => 0),
        1,
      ),
    ).toBe(0);
    expect(
      delay(
        custom(() => 12.6),
        1,
      ),
    ).toBe(13);
    expect(
      delay(
        custom(() => Number.MAX_SAFE_INTEGER),
        1,
      ),
    ).toBe(MAX_RETRY_DELAY_MS);
  });

  it.each<[string, unknown]>([
    ['NaN', NaN],
    ['Infinity', Infinity],
    ['-Infinity', -Infinity],
    ['a negative number', -1],
    ['a text', '5000'],
    ['nothing', undefined],
    ['a big integer', 5n],
    ['a promise', Promise.resolve(1)],
  ])('counts as ten minutes when it answers %s', (_what, answer) => {
    // User code need not keep to its type.
    expect(
      delay(
        custom(() => answer as number),
        1,
      ),
    ).toBe(TEN_MINUTES);
  });

  it('counts as ten minutes when it throws', () => {
    const policy = custom(() => {
      throw new Error('It cannot tell.');
    });
    expect(delay(policy, 1)).toBe(TEN_MINUTES);
  });
});

describe('any back-off', () => {
  it('is a whole number from 0 to 30 days, whatever the policy was made of', () => {
    const anyNumber = fc.oneof(fc.double(), fc.integer(), fc.constantFrom(0, NaN, Infinity, -Infinity));
    const policies: fc.Arbitrary<RetryPolicy> = fc.oneof(
      fc.record({ kind: fc.constant('exponential' as const), baseMs: anyNumber, factor: anyNumber, capMs: anyNumber }),
      fc.record({ kind: fc.constant('fixed' as const), delayMs: anyNumber }),
      fc.record({ kind: fc.constant('quadratic' as const), baseMs: anyNumber, capMs: anyNumber }),
      anyNumber.map((ms) => custom(() => ms)),
    );
    fc.assert(
      fc.property(policies, attempts, draws, (policy, attempt, random) => {
        const ms = delay(policy, attempt, random);
        expect(Number.isInteger(ms)).toBe(true);
        expect(ms).toBeGreaterThanOrEqual(0);
        expect(ms).toBeLessThanOrEqual(MAX_RETRY_DELAY_MS);
      }),
      { numRuns: 500 },
    );
  });
});
