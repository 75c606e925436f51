import { listsTag } from './entity-tags.js';

const lists = (list: string) => [listsTag(list, '"a-1"', 'strong'), listsTag(list, '"a-1"', 'weak')];

describe('a list of entity tags', () => {
  it.each(['"a-1"', '"x", "a-1"', '"x","a-1","y"', 'W/"x", "a-1"', '*', ' * '])('has a tag: %j', (list) => {
    expect(lists(list)).toEqual([true, true]);
  });

  it('has one that is given as weak only where that is enough', () => {
    expect(lists('W/"a-1"')).toEqual([false, true]);
  });

  it.each(['', '"x"', 'a-1', '"a-1', '"A-1"', '"a-1 "', '"*"'])('has it not: %j', (list) => {
    expect(lists(list)).toEqual([false, false]);
  });
});
