/** A double keeps every decimal of up to 15 digits, and gives back at most 17. */
const ALWAYS_KEPT_DIGITS = 15;
const MOST_DIGITS = 17;

const ZERO = 48;

/**
 * True when a JSON number survives being held as a 64-bit floating-point number.
 * - A whole number written out must be held without rounding and come back with the same digits: people put ids into
 *   numbers, and two ids must not become one. `9007199254740993` and `1152921504606846976` do not pass.
 * - Any other must come back the same, in the shortest writing or in one of as many digits: `0.1`, `0.10000000000000001`
 *   and `1e100` pass, `1e400` and `3.14159265358979323846` do not.
 * @param text a number as the JSON grammar has it.
 */
export function isExactNumber(text: string): boolean {
  const written = text.toLowerCase();
  if (written.length <= ALWAYS_KEPT_DIGITS && !written.includes('e')) return true;
  const number = scientific(written);
  const { digits, exponent } = number;
  if (digits === '') return true;
  const value = Math.abs(Number(written));
  if (!Number.isFinite(value) || digits.length > MOST_DIGITS) return false;
  const zeros = exponent - digits.length + 1;
  if (zeros >= 0 && !written.includes('e')) {
    return BigInt(value) === BigInt(digits) * 10n ** BigInt(zeros) && isWritten(String(value), number);
  }
  return isWritten(String(value), number) || isWritten(value.toExponential(digits.length - 1), number);
}

/** The significant digits of a number, and the power of ten of the first of them; no digits for zero. */
interface Scientific {
  readonly digits: string;
  readonly exponent: number;
}

function isWritten(text: string, { digits, exponent }: Scientific): boolean {
  const found = scientific(text);
  return found.digits === digits && found.exponent === exponent;
}

function scientific(text: string): Scientific {
  const [mantissa = '', power = '0'] = text.split('e');
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.');
  const all = whole + fraction;
  // Counted by hand: a regular expression for the zeros at the end takes quadratic time on long runs of them.
  let first = 0;
  while (first < all.length && all.charCodeAt(first) === ZERO) first += 1;
  let end = all.length;
  while (end > first && all.charCodeAt(end - 1) === ZERO) end -= 1;
  return { digits: all.slice(first, end), exponent: whole.length - 1 - first + Number(power) };
}
