import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { create, type Font } from 'fontkit';
import { unpackWoff } from './unpack-woff.js';

const FILE = createRequire(import.meta.url).resolve('@fontsource/noto-sans/files/noto-sans-devanagari-400-normal.woff');
const TEXT = 'अनीता शर्मा';

describe('a font out of its WOFF file', () => {
  it('has the same glyphs in the same places', async () => {
    const woff = await readFile(FILE);
    const [packed, unpacked] = [woff, unpackWoff(woff)].map((bytes) => {
      const font = create(bytes) as Font; // One file, one font.
      const { glyphs, positions } = font.layout(TEXT);
      return { name: font.postscriptName, count: font.numGlyphs, positions, glyphs: glyphs.map((glyph) => glyph.path.toSVG()) };
    });
    expect(unpacked).toEqual(packed);
    expect(unpacked?.glyphs.length).toBeGreaterThan(5);
  });
});
