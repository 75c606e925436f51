import fc from 'fast-check';
import { BootRecord } from './boot-record.js';

function proven(): BootRecord {
  const record = new BootRecord();
  record.succeeded();
  return record;
}

describe('BootRecord', () => {
  it('waits 1, 2, 4 and 8 seconds after failures, and never more than 10', () => {
    const record = new BootRecord();
    const waits = Array.from({ length: 6 }, (_, failure) => {
      record.failed(failure * 100_000);
      return record.waitMs(failure * 100_000);
    });
    expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 10_000, 10_000]);
    expect(record.waitMs(504_000)).toBe(6_000);
    expect(record.waitMs(600_000)).toBe(0);
  });

  it('tells the first failure from the next, and a recovery from a first success', () => {
    const record = new BootRecord();
    expect(record.succeeded()).toBe(false);
    expect([record.failed(0), record.failed(0)]).toEqual([true, false]);
    expect(record.succeeded()).toBe(true);
    expect(record.waitMs(0)).toBe(0);
    expect(record.failed(0)).toBe(true);
  });

  it('starts one thread at a time until a start went well, and again after one failed', () => {
    const record = new BootRecord();
    expect(record.startsFor(5, 0, 0, 4)).toBe(1);
    expect(record.startsFor(5, 1, 1, 4)).toBe(0);
    record.succeeded();
    expect(record.startsFor(5, 0, 1, 4)).toBe(3);
    record.failed(0);
    expect(record.startsFor(5, 0, 1, 4)).toBe(1);
  });

  it('never starts more than there are jobs for or the size allows', () => {
    const small = fc.nat({ max: 50 });
    fc.assert(
      fc.property(small, small, small, small, (waiting, booting, others, size) => {
        const threads = booting + others;
        const starts = proven().startsFor(waiting, booting, threads, size);
        expect(starts).toBeGreaterThanOrEqual(0);
        expect(starts === 0 || threads + starts <= size).toBe(true);
        expect(starts === 0 || booting + starts <= waiting).toBe(true);
        // A job that waits gets a thread where there is room for one.
        expect(starts > 0 || waiting <= booting || threads >= size).toBe(true);
      }),
    );
  });
});
