import { toPointer, underPointer } from './json-pointer.js';

describe('toPointer', () => {
  it.each([
    [[], '#'],
    [['payload', 'items', 3], '#/payload/items/3'],
    [['a/b', 'c~d'], '#/a~1b/c~0d'],
    [['ü %'], '#/%C3%BC%20%25'],
    [['payload', 'k'.repeat(129), 'x'], '#/payload'],
    [['payload', '\ud800'], '#/payload'],
  ])('writes %j as %s', (path, pointer) => {
    expect(toPointer(path)).toBe(pointer);
  });
});

describe('underPointer', () => {
  it.each([
    ['/payload', '/to', '#/payload/to'],
    ['/payload', '', '#/payload'],
    ['', '/variables/a~1b', '#/variables/a~1b'],
    ['', '', '#'],
  ])('puts %j before %j', (place, pointer, whole) => {
    expect(underPointer(place, pointer)).toBe(whole);
  });
});
