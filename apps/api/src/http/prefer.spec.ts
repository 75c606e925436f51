import { parsePrefer } from './prefer.js';

describe('the header Prefer', () => {
  it.each([
    ['wait=10', 10_000, false],
    ['WAIT = 10', 10_000, false],
    ['wait="10"', 10_000, false],
    ['respond-async, wait=5', 5_000, true],
    ['wait=5;x=y, respond-async; foo="a, b"', 5_000, true],
    ['foo="wait=1, respond-async", wait=7', 7_000, false],
    ['wait=3, wait=9', 3_000, false],
    ['wait=3600', 60_000, false],
    ['wait=99999999999', 60_000, false],
    [`wait=${'9'.repeat(1_000)}`, 60_000, false],
  ])('%s asks for a wait of %i ms, asynchronous: %s', (header, waitMs, respondAsync) => {
    expect(parsePrefer(header)).toEqual({ waitMs, respondAsync });
  });

  it.each(['wait', 'wait=', 'wait=-1', 'wait=1.5', 'wait=soon', 'wait=0', '=5', ',,,', '"', 'foo="wait=5', '\\'])(
    '%s asks for nothing',
    (header) => {
      expect(parsePrefer(header)).toEqual({ waitMs: undefined, respondAsync: false });
    },
  );

  it('may be missing, or there twice', () => {
    expect(parsePrefer(undefined)).toEqual({ waitMs: undefined, respondAsync: false });
    expect(parsePrefer(['respond-async', 'wait=2'])).toEqual({ waitMs: 2_000, respondAsync: true });
  });

  it('takes no longer for a hostile one', () => {
    const before = performance.now();
    parsePrefer('"\\'.repeat(8_000));
    parsePrefer('a="'.repeat(5_000));
    parsePrefer(`wait=${' '.repeat(15_000)}"`);
    parsePrefer(`wait${' '.repeat(15_000)}="`);
    expect(performance.now() - before).toBeLessThan(200);
  });
});
