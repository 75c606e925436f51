import { randomFillSync } from 'node:crypto';

/** Asking the system for a few bytes costs as much as asking for a few thousand. */
const pool = Buffer.alloc(8_192);
let used = pool.length;

function next(bytes: number): number {
  if (used + bytes > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += bytes;
  return used - bytes;
}

/** So many random bytes, at most 8,192, as lower-case hex digits. They are fit for identifiers, not for secrets: they stay in memory. */
export function randomHex(bytes: number): string {
  const start = next(bytes);
  return pool.toString('hex', start, start + bytes);
}

/** A random multiple of 1/256 from 0 up to, but not including, 1. */
export function randomFraction(): number {
  return pool.readUInt8(next(1)) / 256;
}
