import { isSelfContained } from './self-contained.js';

describe('isSelfContained', () => {
  it.each([
    '(_payload, value) => value !== undefined',
    'value => value.length > 3',
    '({ value }) => typeof value === "string" ? value.trim() : value',
    "({ value, obj }) => obj.kind === 'other' && Number(value) >= 1",
    '(order) => order?.lines . length > 0 && Array.isArray(order.lines)',
    '() => true',
  ])('takes %s', (text) => {
    expect(isSelfContained(text)).toBe(true);
  });

  it.each([
    ['a variable from around it', '(value) => value <= max'],
    ['a function from around it', '(value) => isGood(value)'],
    ['what stands behind a spread', '(value) => Math.max(...limits, value)'],
    ['a variable under the name of a field', '({ value: v }) => value'],
    ['a default from around it', '(value = preset) => value'],
    ['a parameter of an inner function', '(list) => list.every((item) => item.ok)'],
    ['itself', '(value) => this.ok'],
    ['a variable in another alphabet', '(value) => value <= größe'],
    ['a variable written with escapes', '(value) => value <= m\\u0061x'],
    ['a variable in a template', '(value) => `${max}` === value'],
    ['a block', '(value) => { return value; }'],
    ['a function with a name', 'function given(value) { return value; }'],
    ['native code', 'function () { [native code] }'],
    ['a promise', 'async (value) => value'],
    ['a string that is not closed', "(value) => value === 'it\\'s' + max"],
    ['a comment, in which anything may stand', '(value) => value /* max */'],
  ])('refuses %s', (_what, text) => {
    expect(isSelfContained(text)).toBe(false);
  });
});
