import { readFile } from 'node:fs/promises';
import { create, type Font } from 'fontkit';
import decompressWoff2 from 'woff2-encoder/decompress';
import { unpackWoff } from './unpack-woff.js';

/** Those of the last documents; all that there are would take 45 MB. */
const MOST_KEPT = 32;
/** The least recently asked for first. */
const kept = new Map<string, Promise<Font>>();

/** The font in a file (`.woff` or `.woff2`). A small document takes less time than to read its fonts, so these are kept for the next ones. */
export async function fontIn(file: string): Promise<Font> {
  const font = kept.get(file) ?? read(file);
  kept.delete(file);
  kept.set(file, font);
  const [oldest] = kept.keys();
  if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest);
  try {
    return await font;
  } catch (error) {
    kept.delete(file);
    throw error;
  }
}

async function read(file: string): Promise<Font> {
  const bytes = await readFile(file);
  // What is embedded is cut out of the file, which takes one that is not compressed as WOFF2 is.
  return create(file.endsWith('.woff2') ? Buffer.from(await decompressWoff2(bytes)) : unpackWoff(bytes)) as Font; // One file, one font.
}
