import fc from 'fast-check';
import { Slots, type Share } from './slots.js';

const nobody = () => undefined;

/** Lets every share take what it is granted until none is granted any. */
function fill(shares: readonly Share[]): void {
  for (;;) {
    const grants = shares.map((share) => {
      const grant = share.claimable;
      share.take(grant);
      return grant;
    });
    if (grants.every((grant) => grant === 0)) return;
  }
}

describe('Slots', () => {
  it('gives a type that is alone all it may run, up to the free slots', () => {
    expect(new Slots(10).share(4, nobody).claimable).toBe(4);
    expect(new Slots(3).share(4, nobody).claimable).toBe(3);
  });

  it('keeps slots for a hungry type that has fewer, and gives all when it is sated', () => {
    const slots = new Slots(10);
    const [one, other] = [slots.share(10, nobody), slots.share(10, nobody)];
    expect(one.claimable).toBe(5);
    one.take(5);
    expect(one.claimable).toBe(0);
    expect(other.claimable).toBe(5);
    other.hungry = false;
    expect(one.claimable).toBe(5);
  });

  it('gives the next free slot to the type that was served longest ago, when there are more types than slots', () => {
    const slots = new Slots(2);
    const shares = Array.from({ length: 5 }, () => slots.share(10, nobody));
    const served: number[] = [];
    for (let turn = 0; turn < 20; turn += 1) {
      const next = shares.findIndex((share) => share.claimable > 0);
      shares[next]?.take(1);
      served.push(next);
      if (served.length >= 2) shares[served.at(-2) ?? 0]?.release(1);
    }
    for (const index of shares.keys()) expect(served.filter((each) => each === index)).toHaveLength(4);
  });

  it('tells a type that was given less than it could use when there is room again, and no other', () => {
    const slots = new Slots(2);
    const told: string[] = [];
    const full = slots.share(2, () => told.push('full'));
    const short = slots.share(2, () => told.push('short'));
    short.hungry = false;
    full.take(full.claimable);
    expect(short.claimable).toBe(0);
    full.release(1);
    expect(told).toEqual(['short']);
    full.release(1);
    expect(told).toEqual(['short']);
  });

  it('tells a type that was held back for another once the other wants none', () => {
    const slots = new Slots(4);
    let told = 0;
    const one = slots.share(4, () => (told += 1));
    const other = slots.share(4, nobody);
    expect(one.claimable).toBe(2);
    other.hungry = false;
    expect(told).toBe(1);
    expect(one.claimable).toBe(4);
  });

  it('leaves no slot unused and no type more than one ahead of another that could use it', () => {
    const limits = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60 }), limits, (total, limitOf) => {
        const slots = new Slots(total);
        const shares = limitOf.map((limit) => slots.share(limit, nobody));
        fill(shares);
        const taken = shares.reduce((sum, share) => sum + share.taken, 0);
        expect(taken).toBe(
          Math.min(
            total,
            limitOf.reduce((sum, limit) => sum + limit, 0),
          ),
        );
        const fewest = Math.min(...shares.filter(({ room }) => room > 0).map((share) => share.taken));
        for (const share of shares) expect(share.taken).toBeLessThanOrEqual(fewest + 1);
      }),
    );
  });
});
