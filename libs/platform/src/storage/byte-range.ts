/** Bytes of a file, counted from 0, `end` included; without `end` to the last one. */
export interface ByteRange {
  readonly start: number;
  readonly end?: number;
}

/** The bytes that there are of a range in a file of `size` bytes; undefined when there are none. */
export function rangeWithin({ start, end = Infinity }: ByteRange, size: number): Required<ByteRange> | undefined {
  return start < size ? { start, end: Math.min(end, size - 1) } : undefined;
}

/** @throws {RangeError} when these are no two places in the right order. */
export function demandRange({ start, end = Infinity }: ByteRange): void {
  const isPlace = (place: number): boolean => Number.isSafeInteger(place) && place >= 0;
  if (isPlace(start) && (end === Infinity || isPlace(end)) && start <= end) return;
  throw new RangeError(`A range has a start of 0 or more and no smaller end, found ${start} and ${end}.`);
}
