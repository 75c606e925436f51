const UNIT_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

type Unit = keyof typeof UNIT_MS;

/** A length of time as people write it: `'250ms'`, `'30s'`, `'1.5h'`, `'3d'`. */
export type Duration = `${number}${Unit}`;

const SHAPE = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/;

/**
 * Milliseconds of a {@link Duration}, rounded to the nearest whole one.
 * @throws {TypeError} when the text is not a number followed by `ms`, `s`, `m`, `h` or `d`.
 */
export function toMs(duration: Duration): number {
  const [, amount, unit] = SHAPE.exec(duration) ?? [];
  if (amount === undefined || unit === undefined) {
    throw new TypeError(`"${duration}" is not a duration: write a number and a unit, such as 250ms, 30s, 10m, 2h or 3d.`);
  }
  // The pattern admits these five units only.
  return Math.round(Number(amount) * UNIT_MS[unit as Unit]);
}
