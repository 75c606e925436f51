import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { Face } from './face.js';
import { fontIn } from './font-files.js';

export type Weight = 'regular' | 'bold';

/** A part of a family of fonts, with the characters that it is for. */
interface Slice {
  readonly family: Family;
  readonly name: string;
  /** Pairs: first code point, last code point. */
  readonly ranges: readonly (readonly [number, number])[];
}

interface Family {
  readonly id: string;
  /** undefined: all of them. */
  readonly slices?: readonly string[];
  /** The part of the file's name that says the weight, its ending, and the outline that makes the weight of it. */
  readonly faces: Readonly<Record<Weight, { readonly weight: string; readonly outline: number }>>;
  readonly ending: 'woff' | 'woff2';
  readonly package: string;
}

const STATIC = { regular: { weight: '400', outline: 0 }, bold: { weight: '700', outline: 0 } };
// Of this one there is a font of all weights, and what can be embedded of it is the thinnest.
const THIN = { regular: { weight: 'wght', outline: 0.025 }, bold: { weight: 'wght', outline: 0.055 } };

/** In the order in which they are asked for a character. The first slice of the first is also there for what none has. */
const FAMILIES: readonly Family[] = [
  {
    id: 'noto-sans',
    package: '@fontsource/noto-sans',
    slices: ['latin', 'latin-ext', 'greek', 'greek-ext', 'cyrillic', 'cyrillic-ext', 'vietnamese', 'devanagari'],
    faces: STATIC,
    ending: 'woff',
  },
  { id: 'noto-sans-arabic', package: '@fontsource/noto-sans-arabic', slices: ['arabic'], faces: STATIC, ending: 'woff' },
  { id: 'noto-sans-hebrew', package: '@fontsource/noto-sans-hebrew', slices: ['hebrew'], faces: STATIC, ending: 'woff' },
  { id: 'noto-sans-thai', package: '@fontsource/noto-sans-thai', slices: ['thai'], faces: STATIC, ending: 'woff' },
  { id: 'noto-sans-sc', package: '@fontsource-variable/noto-sans-sc', faces: THIN, ending: 'woff2' },
  { id: 'noto-sans-kr', package: '@fontsource-variable/noto-sans-kr', faces: THIN, ending: 'woff2' },
];

const packages = createRequire(import.meta.url);
/** They belong to the packages: what is read of them once holds for all documents. */
let allSlices: readonly Slice[] | undefined;

/**
 * The fonts of a document: Noto Sans for Latin (Vietnamese too), Greek, Cyrillic, Devanagari, Arabic, Hebrew, Thai, Chinese, Japanese
 * and Korean. They come in many small files, of which only those are read that the text needs.
 */
export class FontBook {
  private readonly faces = new Map<string, Face>();
  private readonly faceOfCharacter: Readonly<Record<Weight, Map<number, Face>>> = { regular: new Map(), bold: new Map() };

  private constructor(
    private readonly slices: readonly Slice[],
    private readonly fallback: Readonly<Record<Weight, Face>>,
    private readonly missing: (codePoint: number) => void,
  ) {}

  /** @param missing is told of each character that no font has. */
  static async open(missing: (codePoint: number) => void = () => undefined): Promise<FontBook> {
    const slices = (allSlices ??= (await Promise.all(FAMILIES.map(slicesOf))).flat());
    const first = slices[0];
    if (first === undefined) throw new Error('There is no font.');
    return new FontBook(slices, { regular: await load(first, 'regular'), bold: await load(first, 'bold') }, missing);
  }

  /**
   * Reads the fonts that the text needs. Before that its characters are drawn as boxes, as are those that no font has.
   * @returns the text as the fonts have it, which is what to draw: accents one with their letters (NFC), no halves of characters.
   */
  async prepare(text: string, weight: Weight): Promise<string> {
    const prepared = text.toWellFormed().normalize('NFC');
    const known = this.faceOfCharacter[weight];
    for (const character of prepared) {
      const codePoint = character.codePointAt(0) ?? 0;
      if (!known.has(codePoint)) known.set(codePoint, await this.find(codePoint, weight));
    }
    return prepared;
  }

  faceOf(codePoint: number, weight: Weight): Face {
    return this.faceOfCharacter[weight].get(codePoint) ?? this.fallback[weight];
  }

  private async find(codePoint: number, weight: Weight): Promise<Face> {
    if (this.fallback[weight].has(codePoint)) return this.fallback[weight];
    for (const slice of this.slices) {
      if (!slice.ranges.some(([first, last]) => codePoint >= first && codePoint <= last)) continue;
      const face = await this.face(slice, weight);
      if (face.has(codePoint)) return face;
    }
    this.missing(codePoint);
    return this.fallback[weight];
  }

  private async face(slice: Slice, weight: Weight): Promise<Face> {
    const key = `${slice.family.id} ${slice.name} ${weight}`;
    let face = this.faces.get(key);
    if (face === undefined) {
      face = await load(slice, weight);
      this.faces.set(key, face);
    }
    return face;
  }
}

async function slicesOf(family: Family): Promise<Slice[]> {
  const file = packages.resolve(`${family.package}/unicode.json`);
  const ranges = JSON.parse(await readFile(file, 'utf8')) as Record<string, string>; // The package says so.
  const names = family.slices ?? Object.keys(ranges);
  return names.map((name) => ({ family, name: name.replaceAll(/[[\]]/g, ''), ranges: parseRanges(ranges[name] ?? '') }));
}

/** `U+20,U+4E00-4E03` as CSS writes it. */
function parseRanges(text: string): [number, number][] {
  return text.split(',').map((part) => {
    const [first = '', last = first] = part.trim().replace(/^U\+/i, '').split('-');
    return [Number.parseInt(first, 16), Number.parseInt(last, 16)];
  });
}

async function load({ family, name }: Slice, weight: Weight): Promise<Face> {
  const { weight: inName, outline } = family.faces[weight];
  const file = packages.resolve(`${family.package}/files/${family.id}-${name}-${inName}-normal.${family.ending}`);
  return new Face(`${family.id}-${name}-${weight}`, await fontIn(file), outline);
}
