import fc from 'fast-check';
import { toMs, type Duration } from './duration.js';

describe('toMs', () => {
  it.each<[Duration, number]>([
    ['0ms', 0],
    ['250ms', 250],
    ['30s', 30_000],
    ['10m', 600_000],
    ['2h', 7_200_000],
    ['3d', 259_200_000],
    ['1.5h', 5_400_000],
    ['0.25s', 250],
    ['007s', 7_000],
  ])('reads %s', (duration, ms) => {
    expect(toMs(duration)).toBe(ms);
  });

  it('rounds to the nearest whole millisecond', () => {
    expect(toMs('1.4ms')).toBe(1);
    expect(toMs('1.5ms')).toBe(2);
    expect(toMs('0.0004s')).toBe(0);
  });

  it.each([
    '',
    '30',
    's',
    '30 s',
    ' 30s',
    '30s ',
    '-30s',
    '+30s',
    '30S',
    '1e3s',
    '1_000s',
    '.5s',
    '5.s',
    '1.2.3s',
    '1h30m',
    '30s\n',
    '٣s',
  ])('refuses %j and says how a duration is written', (text) => {
    // The type keeps most of these out where it is checked; options and environment are not.
    expect(() => toMs(text as Duration)).toThrow(
      new TypeError(`"${text}" is not a duration: write a number and a unit, such as 250ms, 30s, 10m, 2h or 3d.`),
    );
  });

  it('reads every whole number of every unit exactly', () => {
    const units = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
    // Object.keys forgets that it names the units and nothing else.
    const unit = fc.constantFrom(...(Object.keys(units) as (keyof typeof units)[]));
    fc.assert(
      fc.property(fc.nat(100_000_000), unit, (amount, name) => {
        expect(toMs(`${amount}${name}`)).toBe(amount * units[name]);
      }),
    );
  });
});
