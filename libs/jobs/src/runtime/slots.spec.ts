import fc from 'fast-check';
import { Slots } from './slots.js';

describe('Slots', () => {
  it('has as many free as there are, less those taken', () => {
    const slots = new Slots(5);
    expect(slots.free).toBe(5);
    slots.take(3);
    expect(slots.free).toBe(2);
    slots.take(2);
    expect(slots.free).toBe(0);
    slots.release(4);
    expect(slots.free).toBe(4);
  });

  it('has none free, rather than fewer than none, when more are taken', () => {
    const slots = new Slots(1);
    slots.take(3);
    expect(slots.free).toBe(0);
    slots.release(2);
    expect(slots.free).toBe(0);
    slots.release(1);
    expect(slots.free).toBe(1);
  });

  it('tells when one becomes free after none was, and only then', () => {
    const slots = new Slots(2);
    let told = 0;
    slots.onRelease = () => {
      told += 1;
    };
    slots.take(1);
    slots.release(1);
    expect(told).toBe(0);
    slots.take(3);
    slots.release(1);
    expect(told).toBe(0);
    slots.release(1);
    expect(told).toBe(1);
    slots.release(1);
    expect(told).toBe(1);
  });

  it('is told while the slot is free already', () => {
    const slots = new Slots(1);
    let free = 0;
    slots.onRelease = () => {
      free = slots.free;
    };
    slots.take(1);
    slots.release(1);
    expect(free).toBe(1);
  });

  it('loses no slot and makes none, whatever is taken and released', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100 }), fc.array(fc.nat(10)), (total, counts) => {
        const slots = new Slots(total);
        for (const count of counts) slots.take(count);
        expect(slots.free).toBe(Math.max(total - counts.reduce((sum, count) => sum + count, 0), 0));
        for (const count of counts) slots.release(count);
        expect(slots.free).toBe(total);
      }),
    );
  });
});
