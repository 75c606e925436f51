/** @throws {RangeError} when there are no numbers. */
export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? at(sorted, middle) : (at(sorted, middle - 1) + at(sorted, middle)) / 2;
}

/**
 * The smallest of the numbers that at least `percent` of them do not exceed.
 * @param percent above 0, at most 100
 * @throws {RangeError} when there are no numbers.
 */
export function percentile(numbers: readonly number[], percent: number): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return at(sorted, Math.ceil((percent / 100) * sorted.length) - 1);
}

export interface Spread {
  readonly lowest: number;
  readonly highest: number;
}

/** @throws {RangeError} when there are no numbers. */
export function spread(numbers: readonly number[]): Spread {
  const sorted = numbers.toSorted((a, b) => a - b);
  return { lowest: at(sorted, 0), highest: at(sorted, sorted.length - 1) };
}

function at(numbers: readonly number[], index: number): number {
  const number = numbers[index];
  if (number === undefined) throw new RangeError(`There is no number ${index} among ${numbers.length}.`);
  return number;
}
