import type { JobLog } from '@antrean/jobs';

/** Not meant to be seen: no box stands for it. */
const UNSEEN = /[\p{Cc}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;
const MOST_TOLD = 20;

/** Characters of a document that no font has: a box stands for each. */
export class MissingCharacters {
  private readonly codePoints = new Set<number>();

  add(codePoint: number): void {
    if (!UNSEEN.test(String.fromCodePoint(codePoint))) this.codePoints.add(codePoint);
  }

  /** Says which, if there are any. By their numbers alone they tell a script, and no name. */
  tell(log: JobLog): void {
    if (this.codePoints.size === 0) return;
    const sorted = [...this.codePoints].sort((one, other) => one - other).slice(0, MOST_TOLD);
    log.warn('characters that no font has stand as boxes in the document', {
      missing: this.codePoints.size,
      characters: sorted.map((codePoint) => `U+${codePoint.toString(16).toUpperCase().padStart(4, '0')}`),
    });
  }
}
