import { isAscii, isUtf8 } from 'node:buffer';

/** How the bytes of a file stand for text. */
export interface Charset {
  /** As the Encoding Standard (encoding.spec.whatwg.org) names it, in lower case. */
  readonly name: string;
  /** How many bytes a character of ASCII has, and at which of them its code stands. */
  readonly unit: 1 | 2;
  readonly codeAt: 0 | 1;
  /** The text; undefined when the bytes do not stand for any. */
  decode(bytes: Buffer): string | undefined;
  /** The text, with U+FFFD where the bytes do not stand for any. */
  decodeLossy(bytes: Buffer): string;
}

/** The charset of a label such as `utf-8`, `latin1`, `windows-1251`, `shift_jis` (a payload names no other). */
export function charsetOf(label: string): Charset {
  const name = new TextDecoder(label).encoding;
  if (name === 'utf-8') return UTF_8;
  if (name === 'windows-1252') return WINDOWS_1252;
  const strict = new TextDecoder(name, { fatal: true, ignoreBOM: true });
  const lossy = new TextDecoder(name, { ignoreBOM: true });
  return {
    name,
    unit: name.startsWith('utf-16') ? 2 : 1,
    codeAt: name === 'utf-16be' ? 1 : 0,
    decode: (bytes) => {
      try {
        return strict.decode(bytes);
      } catch {
        return undefined;
      }
    },
    decodeLossy: (bytes) => lossy.decode(bytes),
  };
}

/** The charset that a byte order mark names, and the mark's length; undefined without one. */
export function byteOrderMark(head: Buffer): { readonly charset: Charset; readonly length: number } | undefined {
  if (head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf) return { charset: UTF_8, length: 3 };
  if (head[0] === 0xff && head[1] === 0xfe) return { charset: charsetOf('utf-16le'), length: 2 };
  if (head[0] === 0xfe && head[1] === 0xff) return { charset: charsetOf('utf-16be'), length: 2 };
  return undefined;
}

/** UTF-16 without a mark shows in Latin letters: every other byte of theirs is zero. A header has such letters. */
export function unmarkedUtf16(head: Buffer): Charset | undefined {
  const zeros: [number, number] = [0, 0];
  const length = Math.min(head.length, 512) & ~1;
  for (let at = 0; at < length; at++) if (head[at] === 0) zeros[at & 1 ? 1 : 0]++;
  const many = length * 0.15;
  const few = length * 0.025;
  if (zeros[1] > many && zeros[0] < few) return charsetOf('utf-16le');
  if (zeros[0] > many && zeros[1] < few) return charsetOf('utf-16be');
  return undefined;
}

/**
 * What a file is in whose bytes so far were all ASCII: UTF-8 when most of what follows and is not ASCII is that, else
 * Windows-1252, in which every byte stands for something, and text hardly ever looks like UTF-8.
 */
export function utf8OrWindows1252(bytes: Buffer): Charset {
  let wellFormed = 0;
  let malformed = 0;
  for (const character of bytes.toString('utf8')) {
    if (character === '\ufffd') malformed++;
    else if (character > '\u007f') wellFormed++;
  }
  return wellFormed >= malformed ? UTF_8 : WINDOWS_1252;
}

/** Not ASCII, and UTF-8 throughout: what such bytes would say in Windows-1252 is hardly what was meant. */
export function looksLikeUtf8(bytes: Buffer): boolean {
  return !isAscii(bytes) && isUtf8(bytes);
}

const UTF_8: Charset = {
  name: 'utf-8',
  unit: 1,
  codeAt: 0,
  decode: (bytes) => (isUtf8(bytes) ? bytes.toString('utf8') : undefined),
  decodeLossy: (bytes) => bytes.toString('utf8'),
};

/** What Windows-1252 has at 0x80 to 0x9f, where Latin-1 has control characters; five of those it keeps. */
const HIGH_80 =
  '\u20ac\u0081\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u008d\u017d\u008f' +
  '\u0090\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u009d\u017e\u0178';

/** Written out: some releases of Node read it as Latin-1. */
const WINDOWS_1252: Charset = {
  name: 'windows-1252',
  unit: 1,
  codeAt: 0,
  decode: fromWindows1252,
  decodeLossy: fromWindows1252,
};

function fromWindows1252(bytes: Buffer): string {
  return bytes.toString('latin1').replaceAll(/[\u0080-\u009f]/g, (character) => HIGH_80.charAt(character.charCodeAt(0) - 0x80));
}
