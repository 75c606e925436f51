import { retryAfterMs } from './retry-after.js';

const NOW = Date.parse('2026-01-31T08:00:00Z');

describe('Retry-After', () => {
  it.each([
    ['0', 0],
    ['120', 120_000],
    ['Sat, 31 Jan 2026 08:01:00 GMT', 60_000],
    ['Sat, 31 Jan 2026 07:00:00 GMT', 0],
  ])('asks for a wait: %s', (header, ms) => {
    expect(retryAfterMs(header, NOW)).toBe(ms);
  });

  it.each(['86401', '1796076122', '99999999999', '9'.repeat(400)])(
    'asks for a day at most, however much it says: %s',
    (header) => {
      expect(retryAfterMs(header, NOW)).toBe(86_400_000);
    },
  );

  it.each([undefined, '', '-1', '1.5', '1e3', 'soon', '2026-01-31T08:01:00Z'])(
    'asks for nothing that can be told: %j',
    (header) => {
      expect(retryAfterMs(header, NOW)).toBeUndefined();
    },
  );
});
