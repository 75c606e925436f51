/** What is wrong with a text that {@link isFitText} does not hold of. */
export const UNFIT_TEXT = 'has a NUL character or half of a surrogate pair';

/** Whether every program that reads the text as UTF-8 or JSON reads the same. */
export function isFitText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}
