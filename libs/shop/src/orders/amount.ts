/** Currencies whose smallest unit is not a hundredth, by its decimal places (ISO 4217). `Intl` has those of daily use instead. */
const PLACES: ReadonlyMap<string, number> = new Map([
  ...'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'.split(' ').map((code) => [code, 0] as const),
  ...'BHD IQD JOD KWD LYD OMR TND'.split(' ').map((code) => [code, 3] as const),
  ...'CLF UYW'.split(' ').map((code) => [code, 4] as const),
]);

/** An amount for programs, as a decimal number, exact however large: 12345 of EUR is `123.45`, of JPY `12345`. */
export function amountText(minor: number | bigint, currency: string): string {
  const places = PLACES.get(currency) ?? 2;
  const whole = BigInt(minor);
  const text = String(whole < 0n ? -whole : whole).padStart(places + 1, '0');
  const split = text.length - places;
  return `${whole < 0n ? '-' : ''}${text.slice(0, split)}${places === 0 ? '' : `.${text.slice(split)}`}`;
}

/** An amount for people, with its currency: `1,234.50 EUR`. */
export function priceText(minor: number | bigint, currency: string): string {
  return `${inThousands(amountText(minor, currency))} ${currency}`;
}

/** A number, or the digits of one, whose whole part is written as English does it: `1,234,567.50`. */
export function inThousands(number: number | string): string {
  return String(number).replace(/\d+/, (whole) => whole.replaceAll(/\B(?=(?:\d{3})+$)/g, ','));
}
