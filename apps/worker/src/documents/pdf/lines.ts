import bidiFactory, { type Bidi } from 'bidi-js';
import type { Direction, Face } from './face.js';
import type { FontBook, Weight } from './font-book.js';

/** Text of one font and direction. */
export interface TextRun {
  readonly face: Face;
  readonly text: string;
  readonly direction: Direction;
  /** In ems. */
  readonly width: number;
}

/** Runs from left to right. */
export interface TextLine {
  readonly runs: readonly TextRun[];
  /** In ems. */
  readonly width: number;
}

const bidi = (bidiFactory as unknown as () => Bidi)(); // Its types are those of an ES module, which it is not.
/** Scripts that are written from right to left, and marks that tell a direction. */
const RIGHT_TO_LEFT =
  /[\u0590-\u08ff\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
/** What has no look of its own, such as marks of direction, variants, soft hyphens. Joiners and their opposites change letters. */
const UNSEEN = /(?![\u200c\u200d])\p{Default_Ignorable_Code_Point}/gu;
/** They make letters be read otherwise than they are written. Without them, a text has the direction of its scripts. */
const OVERRIDES = /[\u202a-\u202e]/g;
const GOES_ON = /^[ \u200c\u200d]$/;
const CONTROL = /[\p{Cc}\u2028\u2029]+/gu;
const LINE_BREAK = /\r\n|[\n\r\u2028\u2029]/;

/** Prepared text as lines no wider than `maxWidth` ems: broken at its line breaks, between words, and in words that are wider. */
export function textLines(text: string, maxWidth: number, weight: Weight, book: FontBook): TextLine[] {
  return text.split(LINE_BREAK).flatMap((paragraph) => {
    const clean = paragraph.replaceAll(OVERRIDES, '').replaceAll(CONTROL, ' ').trim();
    const whole = textLine(clean, weight, book);
    return whole.width <= maxWidth ? [whole] : wrapped(clean, maxWidth, weight, book);
  });
}

/** Prepared text as one line, cut where it is wider than `maxWidth` ems. */
export function oneLine(text: string, maxWidth: number, weight: Weight, book: FontBook): TextLine {
  const lines = textLines(text.replaceAll(/\s+/g, ' '), maxWidth - 1, weight, book);
  return cutLines(lines, 1, weight, book)[0] ?? { runs: [], width: 0 };
}

/** The first `most` lines, with an ellipsis where more are left out. */
export function cutLines(lines: readonly TextLine[], most: number, weight: Weight, book: FontBook): readonly TextLine[] {
  const last = lines[most - 1];
  if (lines.length <= most || last === undefined) return lines;
  const ellipsis = textLine('…', weight, book);
  const cut = { runs: [...last.runs, ...ellipsis.runs], width: last.width + ellipsis.width };
  return [...lines.slice(0, most - 1), cut];
}

function wrapped(text: string, maxWidth: number, weight: Weight, book: FontBook): TextLine[] {
  const lines: string[] = [];
  let line = '';
  let width = 0;
  const widthOf = (part: string): number => textLine(part, weight, book).width;
  const add = (part: string): void => {
    const partWidth = widthOf(part);
    if (line !== '' && width + widthOf(part.trimEnd()) > maxWidth) {
      lines.push(line);
      line = '';
      width = 0;
    }
    line += part;
    width += partWidth;
  };
  for (const word of wordsOf(text)) {
    if (widthOf(word.trimEnd()) <= maxWidth) add(word);
    else for (const piece of piecesOf(word, (part) => widthOf(part) <= maxWidth)) add(piece);
  }
  if (line !== '') lines.push(line);
  return lines.map((each) => textLine(each.trim(), weight, book));
}

const words = new Intl.Segmenter('und', { granularity: 'word' });
const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });
/** Written without blanks between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** What is between two blanks, with the blanks after it; in scripts without blanks, the words, with the marks after them. */
function wordsOf(text: string): string[] {
  const spaced = text.match(/\S+\s*/g) ?? [];
  return spaced.flatMap((part) => {
    if (!UNSPACED.test(part)) return [part];
    const found: string[] = [];
    for (const { segment, isWordLike } of words.segment(part)) {
      const last = found.length - 1;
      if (isWordLike === true || last < 0) found.push(segment);
      else found[last] = (found[last] ?? '') + segment;
    }
    return found;
  });
}

/** A word that fits no line: after the marks that join its parts (e-mail addresses, file names), or between any two characters. */
function piecesOf(word: string, fits: (part: string) => boolean): string[] {
  const parts = word.split(/(?<=[@./_\-,;:])/);
  return parts.flatMap((part) => (fits(part) ? [part] : Array.from(graphemes.segment(part), ({ segment }) => segment)));
}

/** Prepared text as it is, on one line of any width. */
export function textLine(text: string, weight: Weight, book: FontBook): TextLine {
  const runs = RIGHT_TO_LEFT.test(text) ? bothWays(text, weight, book) : leftToRight(text, weight, book);
  return { runs, width: runs.reduce((sum, run) => sum + run.width, 0) };
}

function leftToRight(text: string, weight: Weight, book: FontBook): TextRun[] {
  const runs: { face: Face; text: string }[] = [];
  for (const character of text.replaceAll(UNSEEN, '')) {
    const last = runs.at(-1);
    const face = faceFor(character, last?.face, weight, book);
    if (last?.face === face) last.text += character;
    else runs.push({ face, text: character });
  }
  return runs.map((run) => ({ ...run, direction: 'ltr', width: run.face.width(run.text, 'ltr') }));
}

/** A blank goes on in the font before it, so that words next to each other are one piece of text; so does a joiner. */
function faceFor(character: string, before: Face | undefined, weight: Weight, book: FontBook): Face {
  const codePoint = character.codePointAt(0) ?? 0;
  return GOES_ON.test(character) && before?.has(codePoint) === true ? before : book.faceOf(codePoint, weight);
}

/** By the Unicode Bidirectional Algorithm (UAX 9). */
function bothWays(text: string, weight: Weight, book: FontBook): TextRun[] {
  const { levels } = bidi.getEmbeddingLevels(text);
  const runs: { face: Face; text: string; level: number }[] = [];
  for (let at = 0; at < text.length;) {
    const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
    const level = levels[at] ?? 0;
    const shown = level % 2 === 1 ? (bidi.getMirroredCharacter(character) ?? character) : character;
    at += character.length;
    if (shown.replaceAll(UNSEEN, '') === '') continue;
    const last = runs.at(-1);
    const before = last?.level === level ? last : undefined;
    const face = faceFor(shown, before?.face, weight, book);
    if (before?.face === face) before.text += shown;
    else runs.push({ face, text: shown, level });
  }
  return inOrderOfSight(runs).map(({ face, text: part, level }) => {
    const direction = level % 2 === 1 ? 'rtl' : 'ltr';
    return { face, text: part, direction, width: face.width(part, direction) };
  });
}

/** Rule L2: from the highest level down to the lowest that is odd, what is at the level or above is turned round. */
function inOrderOfSight<Run extends { readonly level: number }>(runs: readonly Run[]): Run[] {
  let order = [...runs];
  const highest = Math.max(0, ...runs.map(({ level }) => level));
  for (let level = highest; level > 0; level--) {
    const turned: Run[] = [];
    for (let from = 0; from < order.length;) {
      const isInside = (order[from]?.level ?? 0) >= level;
      let to = from;
      while (to < order.length && (order[to]?.level ?? 0) >= level === isInside) to++;
      const stretch = order.slice(from, to);
      turned.push(...(isInside ? stretch.reverse() : stretch));
      from = to;
    }
    order = turned;
  }
  return order;
}
