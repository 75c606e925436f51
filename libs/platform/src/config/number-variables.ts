import { Wrong, type Variable } from './variable.js';

interface Bounds<T> {
  readonly min: number;
  readonly max: number;
  readonly fallback: T;
}

const DIGITS = /^\d{1,15}$/;

/** A whole number in decimal digits; `unit` is named in the error's text. */
export function wholeNumber<T = never>(
  name: string,
  { min, max, fallback, unit }: Bounds<number | T> & { readonly unit?: string },
) {
  return {
    name,
    expected: `a whole number${unit === undefined ? '' : ` of ${unit}`} from ${min} to ${max}`,
    fallback,
    parse: (text) => {
      const value = Number(text);
      return DIGITS.test(text) && value >= min && value <= max ? value : new Wrong();
    },
  } satisfies Variable<number | T>;
}

/** A span that people write in seconds and the program holds in milliseconds; the bounds are seconds. */
export function seconds<T = never>(name: string, { min, max, fallback }: Bounds<number | T>): Variable<number | T> {
  const inSeconds = wholeNumber<T>(name, { min, max, fallback, unit: 'seconds' });
  return {
    ...inSeconds,
    fallback: typeof fallback === 'number' ? fallback * 1_000 : fallback,
    parse: (text) => {
      const value = inSeconds.parse(text);
      return typeof value === 'number' ? value * 1_000 : value;
    },
  };
}
