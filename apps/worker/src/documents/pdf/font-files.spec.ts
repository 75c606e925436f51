import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fontIn } from './font-files.js';

const LATIN = 'node_modules/@fontsource/noto-sans/files/noto-sans-latin-400-normal.woff';
const HAN = 'node_modules/@fontsource-variable/noto-sans-sc/files';
const [first = '', ...others] = readdirSync(HAN).filter((name) => /-\d+-wght-normal\.woff2$/.test(name));

describe('the fonts in files', () => {
  it('are read once, as long as they are asked for among others', async () => {
    const [latin, han] = [await fontIn(LATIN), await fontIn(join(HAN, first))];
    expect(latin.hasGlyphForCodePoint(0x41)).toBe(true);
    for (const other of others.slice(0, 40)) {
      await fontIn(join(HAN, other));
      expect(await fontIn(LATIN)).toBe(latin);
    }
    const again = await fontIn(join(HAN, first));
    expect(again).not.toBe(han);
    expect(again.numGlyphs).toBe(han.numGlyphs);
  });

  it('that cannot be read are asked for anew', async () => {
    for (const _time of [1, 2]) await expect(fontIn('/none.woff')).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
