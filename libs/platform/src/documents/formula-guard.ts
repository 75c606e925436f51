/**
 * What a spreadsheet may take for a formula (OWASP, "CSV Injection"): text that begins with `=`, `+`, `-` or `@`, also in their
 * full-width and small forms, or with a tab, a line break or a NUL. Quotes may stand before it, and before the signs also
 * blanks and characters that are not seen.
 */
const FORMULA = /^(?:['"]*[\t\r\n\0]|[\s\p{Cf}\p{Cc}'"]*[=+\-@\uff1d\uff0b\uff0d\uff20\ufe66\ufe62\ufe63\ufe6b])/u;
const GUARD = "'";

/** The text as a cell that a spreadsheet leaves text: with a single quote before what it would take for a formula. */
export function withFormulaGuard(text: string): string {
  return FORMULA.test(text) ? GUARD + text : text;
}

/** Text from a cell, without the quote that {@link withFormulaGuard} put before it. */
export function withoutFormulaGuard(text: string): string {
  return text.startsWith(GUARD) && FORMULA.test(text.slice(GUARD.length)) ? text.slice(GUARD.length) : text;
}
