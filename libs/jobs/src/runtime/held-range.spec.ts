import { HeldRange } from './held-range.js';

describe('what Redis may count under a worker', () => {
  let unsettled: number;
  let range: HeldRange;

  beforeEach(() => {
    unsettled = 0;
    range = new HeldRange(() => unsettled);
  });

  const claim = (jobs: number) => {
    range.sent(jobs, 0);
    unsettled += jobs;
    range.answered(jobs, 0);
  };

  it('is off when it is another number in two beats in a row, and then counts anew', () => {
    expect([1, 1, 1, 1].map((held) => range.isOff(held))).toEqual([false, true, false, true]);
  });

  it('is not off when it differs once', () => {
    expect([1, 0, 1, 0].map((held) => range.isOff(held))).toEqual([false, false, false, false]);
  });

  it('may be any number that the calls under way could make it', () => {
    claim(10);
    range.isOff(10);
    range.isOff(10);
    range.sent(5, 4);
    expect([6, 15, 6, 15].map((held) => range.isOff(held))).toEqual([false, false, false, false]);
    expect([16, 16].map((held) => range.isOff(held))).toEqual([false, true]);
    expect([5, 5].map((held) => range.isOff(held))).toEqual([false, true]);
  });

  it('may be what it was since the beat before, as an answer takes its time', () => {
    claim(3);
    expect(range.isOff(0)).toBe(false);
    expect(range.isOff(0)).toBe(false);
    expect([0, 0].map((held) => range.isOff(held))).toEqual([false, true]);
  });

  it('is off above all that a load that never ends could make it', () => {
    for (let beat = 0; beat < 4; beat += 1) {
      for (let call = 0; call < 100; call += 1) {
        claim(10);
        range.sent(0, 10);
        unsettled -= 10;
        range.answered(0, 10);
      }
      expect(range.isOff(beat % 2 === 0 ? 0 : 10)).toBe(false);
    }
    expect([11, 11].map((held) => range.isOff(held))).toEqual([false, true]);
  });

  it('is not off while a call under way may explain a job that is not known', () => {
    claim(10);
    for (let beat = 0; beat < 4; beat += 1) {
      range.sent(1, 1);
      expect(range.isOff(11)).toBe(false);
      range.answered(1, 1);
    }
    expect([11, 11, 11, 11].map((held) => range.isOff(held))).toContain(true);
  });
});
