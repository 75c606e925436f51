import type { RedisConnection } from '@antrean/platform';
import { Link } from './link.js';

describe('the names of keys', () => {
  let link: Link;

  beforeEach(() => {
    // No command is sent.
    link = new Link({} as RedisConnection, 'p');
  });

  it('are made once for each type of an application', () => {
    const types = Array.from({ length: 500 }, (_, n) => `type.${n}`);
    const made = types.map((type) => link.keys(type));
    expect(types.every((type, n) => link.keys(type) === made[n])).toBe(true);
  });

  it('do not fill the memory when ever more types are named', () => {
    const first = link.keys('type');
    for (let n = 0; n < 1_000; n += 1) link.keys(`type.${n}`);
    const again = link.keys('type');
    expect(again).not.toBe(first);
    expect(again).toEqual(first);
  });
});
