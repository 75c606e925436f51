import type { Font, Glyph, GlyphRun, Subset } from 'fontkit';

export type Direction = 'ltr' | 'rtl';

/** A font as PDFKit asks for it: an object that lays text out, of which it subsets and embeds what was used. */
type PdfKitFont = Font & Record<'layout', (text: string, features: readonly Direction[]) => PdfKitRun>;

/** What PDFKit reads of a glyph. */
interface PdfKitGlyph {
  readonly id: number;
  readonly advanceWidth: number;
  readonly codePoints: readonly number[];
}

interface Position {
  xAdvance: number;
  yAdvance: number;
  xOffset: number;
  yOffset: number;
}

interface PdfKitRun {
  readonly glyphs: readonly PdfKitGlyph[];
  /** PDFKit scales them in place, so they are made anew each time. */
  readonly positions: readonly Position[];
  readonly advanceWidth: number;
}

/** A subset as it is: its types leave out what it counts with, and take its numbers for booleans. */
interface CountingSubset {
  /** Which glyph of the font each of its own is. */
  readonly glyphs: number[];
  /** Which of its own has been made of a glyph. */
  readonly mapping: Record<number, number>;
  includeGlyph(glyph: number): number;
}

/** Scripts whose characters stand side by side, one glyph each: no rules of the font are needed to set them. */
const PLAIN =
  /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Common}]*$/u;

/** For dots that are a glyph of their own: readers take no text for none at all, but this (word joiner) for what is not seen. */
const NO_TEXT: readonly number[] = [0x2060];
/** A font has no more glyphs than this. */
const FIRST_COPY = 0x10000;
/** A document counts up to 65,535 glyphs of a font. What is beyond this looks right, and is copied as something else. */
const MAX_COPIES = 10_000;

/** One font file. Text in scripts that need it (Arabic, Devanagari, Thai, accents that stand alone) is shaped by the font's rules. */
export class Face {
  /** For PDFKit. */
  readonly font: PdfKitFont;
  private readonly glyphs = new Map<string, PdfKitGlyph>();
  /** The text that each glyph stands for: the box for what is missing (glyph 0) for none. */
  private readonly textOf = new Map([[0, '']]);
  /** The numbers of glyphs that stand for another text, and which glyph each of these is. */
  private readonly copies = new Map<string, number>();
  private readonly copied: number[] = [];
  private readonly perEm: number;

  constructor(
    /** Unique in a document. */
    readonly name: string,
    private readonly source: Font,
    /** How wide a line to draw around the letters, in ems, to make a thin font a regular or a bold one. */
    readonly outline: number,
  ) {
    this.perEm = 1 / source.unitsPerEm;
    this.font = Object.create(source, {
      layout: { value: this.layout.bind(this) },
      createSubset: { value: this.createSubset.bind(this) },
      getGlyph: { value: this.glyphWith.bind(this) },
    }) as PdfKitFont; // As just defined.
  }

  has(codePoint: number): boolean {
    return this.source.hasGlyphForCodePoint(codePoint);
  }

  /** In ems. */
  width(text: string, direction: Direction): number {
    if (!PLAIN.test(text)) return this.shape(text, direction).advanceWidth * this.perEm;
    let width = 0;
    for (const character of text) width += this.glyph(character).advanceWidth;
    return width * this.perEm;
  }

  /** @param features PDFKit hands on what it is told to: here, the direction. */
  private layout(text: string, features: readonly Direction[]): PdfKitRun {
    const direction = features[0] ?? 'ltr';
    return PLAIN.test(text) ? this.plain(text, direction) : this.shaped(text, direction);
  }

  private plain(text: string, direction: Direction): PdfKitRun {
    const glyphs = Array.from(text, (character) => this.glyph(character));
    if (direction === 'rtl') glyphs.reverse();
    const positions = glyphs.map(({ advanceWidth }) => ({ xAdvance: advanceWidth, yAdvance: 0, xOffset: 0, yOffset: 0 }));
    return {
      glyphs,
      positions,
      get advanceWidth(): number {
        return positions.reduce((sum, { xAdvance }) => sum + xAdvance, 0);
      },
    };
  }

  private shaped(text: string, direction: Direction): PdfKitRun {
    const run = this.shape(text, direction);
    const glyphs = run.glyphs.map(({ id, advanceWidth, codePoints }) => {
      const text = codePoints.length > 0 ? codePoints : NO_TEXT;
      return { id: this.numberOf(id, text), advanceWidth, codePoints: text };
    });
    return Object.create(run, { glyphs: { value: glyphs } }) as PdfKitRun; // As just defined.
  }

  private shape(text: string, direction: Direction): GlyphRun {
    return this.source.layout.call(this.font, text, undefined, undefined, undefined, direction);
  }

  /** The library's own keeps the text with which a glyph was first asked for. */
  private glyphWith(id: number, codePoints: readonly number[] = []): Glyph {
    return Object.create(this.source.getGlyph(id), { codePoints: { value: codePoints } }) as Glyph; // As just defined.
  }

  /**
   * A document knows one text for each glyph, but a glyph may be part of several (letters of Arabic share their bodies, and
   * differ in their dots): then it is counted as one for each, so that what is copied or searched is what was written.
   */
  private numberOf(id: number, codePoints: readonly number[]): number {
    const text = codePoints.join();
    const first = this.textOf.get(id) ?? text;
    this.textOf.set(id, first);
    if (first === text || this.copied.length === MAX_COPIES) return id;
    const key = `${id}:${text}`;
    const copy = this.copies.get(key) ?? FIRST_COPY + this.copied.push(id) - 1;
    this.copies.set(key, copy);
    return copy;
  }

  private createSubset(): Subset {
    const subset = this.source.createSubset();
    const counting = subset as unknown as CountingSubset; // See there.
    const include = counting.includeGlyph.bind(counting);
    counting.includeGlyph = (number) => {
      const original = number < FIRST_COPY ? undefined : this.copied[number - FIRST_COPY];
      if (original === undefined) return include(number);
      return (counting.mapping[number] ??= counting.glyphs.push(original) - 1);
    };
    return subset;
  }

  private glyph(character: string): PdfKitGlyph {
    let glyph = this.glyphs.get(character);
    if (glyph === undefined) {
      const codePoint = character.codePointAt(0) ?? 0;
      const { id, advanceWidth } = this.source.glyphForCodePoint(codePoint);
      glyph = { id: this.numberOf(id, [codePoint]), advanceWidth, codePoints: [codePoint] };
      this.glyphs.set(character, glyph);
    }
    return glyph;
  }
}
