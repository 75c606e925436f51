import { askedRange } from './asked-range.js';

describe('a range of a file of 100 bytes', () => {
  it.each([
    ['bytes=0-0', 0, 0],
    ['bytes=0-99', 0, 99],
    ['bytes=10-', 10, 99],
    ['bytes=99-', 99, 99],
    ['bytes=-1', 99, 99],
    ['bytes=-100', 0, 99],
    ['bytes=-101', 0, 99],
    ['bytes=50-100', 50, 99],
    ['bytes=5-99999999999999999999999', 5, 99],
    ['Bytes = 1 - 2 ', 1, 2],
  ])('asked for as %j goes from %d to %d', (header, start, end) => {
    expect(askedRange(header, 100)).toEqual({ start, end });
  });

  it.each(['bytes=100-', 'bytes=100-200', 'bytes=99999999999999999999999-', 'bytes=-0'])(
    'asked for as %j has no byte',
    (header) => {
      expect(askedRange(header, 100)).toBe('none');
    },
  );

  it.each([
    undefined,
    '',
    'bytes',
    'bytes=',
    'bytes=-',
    'bytes=5-4',
    'bytes=a-b',
    'bytes=0x1-2',
    'bytes=1.5-2',
    'bytes=--1',
    'bytes=0-1,5-6',
    'bytes=0-1, bytes=5-6',
    'rows=0-1',
  ])('asked for as %j is the whole file', (header) => {
    expect(askedRange(header, 100)).toBeUndefined();
  });
});

it('an empty file has no first byte, and all of it is its end', () => {
  expect(askedRange('bytes=0-', 0)).toBe('none');
  expect(askedRange('bytes=-5', 0)).toBeUndefined();
});
