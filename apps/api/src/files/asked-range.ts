import { rangeWithin, type ByteRange } from '@antrean/platform';

const ONE_RANGE = /^bytes=(\d*)-(\d*)$/i;

/**
 * What a `Range` (RFC 9110, 14) asks for of a file with `size` bytes. Undefined: the whole file, as also of one that is not understood, asks for
 * several parts or for the end of an empty file, which a server may ignore. `none`: there is no such byte.
 */
export function askedRange(header: string | undefined, size: number): Required<ByteRange> | 'none' | undefined {
  const [, first, last] = ONE_RANGE.exec(header?.replaceAll(/[ \t]/g, '') ?? '') ?? [];
  if (first === undefined || last === undefined || first + last === '') return undefined;
  if (first === '') return lastBytes(Number(last), size);
  const end = last === '' ? Infinity : Number(last);
  if (end < Number(first)) return undefined;
  return rangeWithin({ start: Number(first), end }, size) ?? 'none';
}

function lastBytes(count: number, size: number): Required<ByteRange> | 'none' | undefined {
  if (count === 0) return 'none';
  return rangeWithin({ start: Math.max(size - count, 0) }, size);
}
