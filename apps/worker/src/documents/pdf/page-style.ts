import type { Ink } from './pen.js';

/** Everything in points, on A4. */
export const PAGE = { short: 595.28, long: 841.89, margin: 40, foot: 24 } as const;
export const PAD = { x: 5, y: 4 } as const;

/** In sizes of the letters: from one line to the next, and from the top of a line to what its letters stand on. */
export const LINE = { height: 1.36, baseline: 1.04 } as const;

export const TITLE: Ink = { size: 17, color: '#16202e' };
export const SUBTITLE: Ink = { size: 9.5, color: '#566273' };
export const HEAD: Ink = { size: 8, color: '#33415a' };
export const CELL: Ink = { size: 8.5, color: '#1d2733' };
export const NOTE: Ink = { size: 7.5, color: '#6a7585' };

export const HEAD_GROUND = '#e9eef5';
export const HAIRLINE = '#dfe5ec';
export const STRONG_LINE = '#33415a';
